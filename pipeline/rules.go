package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/gather"
	"github.com/credence-stream/credence/pipeline/quota"
)

// StateFormat numbers the layout of what the store holds. A store of another
// format halts the partition.
const StateFormat = 1

// LaterRemedy says what to do with state that a later release wrote. In the middle of an upgrade there is nothing to do but
// to end it.
const LaterRemedy = "run the version that wrote it (while a group is upgraded this ends once a worker of that version has the partition), or use a new consumer group"

// Rule gives the keys that match a glob (see cdf.Glob) their model.
type Rule struct {
	Match string
	Spec  *cdf.Spec
	Units map[string]string // of columns, by name, for readers alone; may be nil
}

// Limits bound what one record may ask for.
type Limits struct {
	Record  int64 `json:"record"`  // bytes of a value
	Rows    int   `json:"rows"`    // of a shard
	Columns int   `json:"columns"` // of a shard
	Groups  int   `json:"groups"`  // of a model
	Summary int   `json:"summary"` // bytes of an encoded summary
	// Prefixes bound what keys take together. They decide of records of new keys alone, so
	// that they may change in place, in any direction.
	Prefixes []quota.Limit `json:"prefixes,omitempty"`
}

// covers reports whether everything that passed old passes l too.
func (l Limits) covers(old Limits) bool {
	return l.Record >= old.Record && l.Rows >= old.Rows && l.Columns >= old.Columns &&
		l.Groups >= old.Groups && l.Summary >= old.Summary
}

// Rules say which model a key owns: the first match wins.
type Rules struct {
	rules      []Rule
	limits     Limits
	core       []byte // the models' sum
	gathering  gather.Rule
	configured Configured
	tenants    []quota.Limit // whose keys are counted
}

// NewRules compiles the rules and takes their fingerprint.
func NewRules(rules []Rule, limits Limits) (*Rules, error) {
	if len(rules) == 0 {
		return nil, fmt.Errorf("no models are configured: every key would go to the dead letters")
	}
	r := &Rules{rules: rules, limits: limits, tenants: limits.Prefixes}
	core := sha256.New()
	for _, rule := range rules {
		rule.Spec.Seal()
		print := rule.Spec.Fingerprint()
		fmt.Fprintf(core, "%q %x\n", rule.Match, print[:])
	}
	text, err := json.Marshal(limits)
	if err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	r.core = core.Sum(nil)
	r.configured = r.recorded(string(text))
	return r, nil
}

// Reading returns the same rules for records that are read in a form of their own,
// which is then a part of the configuration that state belongs to. "" is that of
// shards.
func (r *Rules) Reading(form string) *Rules {
	if form == "" {
		return r
	}
	other := *r
	core := sha256.Sum256(fmt.Appendf(slices.Clip(r.core), "reading %q\n", form))
	other.core = core[:]
	other.configured = other.recorded(r.configured.Limits)
	return &other
}

// recorded is what is recorded of the models under some limits.
func (r *Rules) recorded(limits string) Configured {
	full := sha256.Sum256(append(slices.Clip(r.core), limits...))
	return Configured{Fingerprint: hex.EncodeToString(full[:]), Core: hex.EncodeToString(r.core), Limits: limits}
}

// Tenants returns the same rules with prefixes whose keys are counted: those of the limits, and
// others that have none. What is counted only is no part of the configuration that state
// belongs to.
func (r *Rules) Tenants(all []quota.Limit) *Rules {
	other := *r
	other.tenants = all
	return &other
}

// Match returns the model of a key.
func (r *Rules) Match(key string) (*cdf.Spec, bool) {
	rule, ok := r.Rule(key)
	return rule.Spec, ok
}

// Rule returns the rule of a key.
func (r *Rules) Rule(key string) (Rule, bool) {
	for i := range r.rules {
		if cdf.Glob(r.rules[i].Match, key) {
			return r.rules[i], true
		}
	}
	return Rule{}, false
}

// Config is the short form of the fingerprint that summaries carry.
func (r *Rules) Config() string { return r.configured.Fingerprint[:16] }

// accept compares the configuration that wrote the stored state with the
// present one. It returns the list to store from now on, nil for no change,
// and false where the state belongs to another configuration.
func (r *Rules) accept(stored []Configured, from int64) ([]Configured, bool) {
	if len(stored) == 0 {
		return r.Recorded(from), true
	}
	now, last := r.configured, stored[len(stored)-1]
	if last.Fingerprint == now.Fingerprint {
		return nil, true
	}
	var old Limits
	if last.Core != now.Core || json.Unmarshal([]byte(last.Limits), &old) != nil || !r.limits.covers(old) {
		return nil, false
	}
	return append(slices.Clone(stored), r.Recorded(from)...), true
}

// minutes returns the minutes of tenants at the watermark of stored state, which is to go on
// under this configuration, nil: the last one. Known is false where they belong to a limit in
// force, and who wrote the state did not keep them: they begin anew, as under another configuration.
func (r *Rules) minutes(meta Meta, configured []Configured) (by map[string]quota.Minute, known bool) {
	if configured != nil || meta.Configured[len(meta.Configured)-1].From == meta.Watermark {
		return nil, true
	}
	by = map[string]quota.Minute{}
	for i := range r.tenants {
		if l := &r.tenants[i]; l.PerMinute > 0 {
			if by[l.Prefix], known = meta.Minutes.Of(meta.Watermark, l.Prefix); !known {
				return nil, false
			}
		}
	}
	return by, true
}

// Recorded is what the meta of a partition records of a first configuration, in
// force from an offset on.
func (r *Rules) Recorded(from int64) []Configured {
	now := r.configured
	now.From = from
	return []Configured{now}
}

// Instead returns what was recorded of a partition whose states now are as if these
// models had made them: from the same offsets on, under the same limits.
func (r *Rules) Instead(stored []Configured) []Configured {
	out := make([]Configured, len(stored))
	for i, c := range stored {
		out[i] = r.recorded(c.Limits)
		out[i].From = c.From
	}
	return out
}

// SameModels reports whether states were made by these models, whatever the
// limits were.
func (r *Rules) SameModels(stored []Configured) bool {
	return len(stored) > 0 && stored[len(stored)-1].Core == r.configured.Core
}

// Accepts reports whether state that was made under the stored configurations
// goes on under the present one: false is what halts a partition.
func (r *Rules) Accepts(stored []Configured) bool {
	_, ok := r.accept(stored, 0)
	return ok
}

// MaxKey is the longest model key in bytes.
const MaxKey = 512

// checkKey says what is wrong with a record's key, "" if nothing.
func checkKey(key []byte) string {
	switch {
	case key == nil:
		return "the key is null; a model key is 1 to 512 bytes of UTF-8"
	case len(key) == 0:
		return "the key is empty; a model key is 1 to 512 bytes of UTF-8"
	case len(key) > MaxKey:
		return fmt.Sprintf("the key has %d bytes; a model key is 1 to 512 bytes of UTF-8", len(key))
	case !utf8.Valid(key):
		return "the key is not UTF-8"
	}
	return ""
}
