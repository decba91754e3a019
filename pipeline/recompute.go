package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline/quota"
	"github.com/credence-stream/credence/pipeline/shelf"
)

// Recomputer applies records of one partition as the lanes of a worker do. What it
// would publish is encoded, since a record whose outputs have no encoding is not
// applied, and dropped. It is how tools learn what a worker must have come to. It
// is for one goroutine.
type Recomputer struct {
	lane   *lane
	before Stored // the state as it was before the shard at hand
	risked bool   // there is one
	ledger *quota.Ledger
}

// Recomputed is the state of one key on its way through the log.
type Recomputed struct{ entry entry }

// ReadLimits returns the limits of a recorded configuration. ErrDamaged, wrapped,
// says that they cannot be read.
func (c Configured) ReadLimits() (Limits, error) {
	var limits Limits
	if err := json.Unmarshal([]byte(c.Limits), &limits); err != nil {
		return limits, fmt.Errorf("%w: limits recorded from offset %d on: %w", ErrDamaged, c.From, err)
	}
	return limits, nil
}

// NewLedger returns a ledger of the keys whose number was limited, for a log that was applied under these configurations. about, where
// it is not empty, is the only key whose limits matter. ErrDamaged, wrapped, says that limits
// cannot be read.
func NewLedger(configured []Configured, about string) (*quota.Ledger, error) {
	prefixes, err := limited(configured, func(l *quota.Limit) bool {
		return l.OfNew() && (about == "" || strings.HasPrefix(about, l.Prefix))
	})
	if err != nil {
		return nil, err
	}
	return quota.NewLedger(prefixes), nil
}

// LimitedPrefixes are those that were under a limit of any kind. The error is like NewLedger's.
func LimitedPrefixes(configured []Configured) (quota.Prefixes, error) {
	return limited(configured, (*quota.Limit).Limits)
}

// limited are the prefixes of limits that matter.
func limited(configured []Configured, matters func(*quota.Limit) bool) (all quota.Prefixes, err error) {
	for _, c := range configured {
		limits, err := c.ReadLimits()
		if err != nil {
			return nil, err
		}
		for i := range limits.Prefixes {
			if l := &limits.Prefixes[i]; matters(l) {
				all = append(all, l.Prefix)
			}
		}
	}
	return all, nil
}

// NewRecomputer returns one that works under these limits, with what decoder and outputs
// return, which are asked again after a panic.
func (r *Rules) NewRecomputer(p Partition, limits Limits, decoder func() Decoder, outputs func() Outputs) *Recomputer {
	c := &Recomputer{lane: &lane{
		part: p, rules: r.under(limits), clock: func() float64 { return 0 },
		tools: newTools(decoder, outputs),
	}}
	// A state is lost in a shard alone: records that only wait need not pay for it.
	c.lane.risk = func(e *entry) (err error) {
		c.before, err = e.state.encode(new([]byte))
		c.risked = true
		return err
	}
	return c
}

// Keep has records of new keys meet the limits, as far as the ledger knows of them. Every record
// of the log has then to come to Apply or to Follow, in its order.
func (c *Recomputer) Keep(l *quota.Ledger) {
	c.ledger = l
	l.Under(c.lane.rules.limits.Prefixes)
}

// Follow takes a record of a key that nobody recomputes into the ledger: whether the key has a
// state afterwards. Of a key that has one, no shard need be applied for that.
func (c *Recomputer) Follow(r *Record) error {
	key := string(r.Key)
	switch {
	case !c.ledger.Follows(key), r.Refused != nil, checkKey(r.Key) != "":
	case r.Value != nil && !c.ledger.Lives(key):
		_, err := c.Apply(nil, r)
		return err
	default:
		if _, ok := c.lane.rules.Match(key); ok {
			c.ledger.See(key, r.Time)
			c.ledger.Set(key, r.Value != nil)
		}
	}
	return nil
}

// Say has what is published from here on say this configuration and so many gaps, as a
// worker's outputs did under them.
func (c *Recomputer) Say(config Configured, gaps int) {
	c.lane.rules.configured, c.lane.gaps = config, gaps
}

// Adopt goes on with a state that another Recomputer has made.
func (c *Recomputer) Adopt(s *Recomputed) error {
	stored, err := s.Value()
	if err != nil {
		return err
	}
	spec, _ := c.lane.rules.Match(s.entry.key)
	s.entry.state = &keyState{spec: spec, stored: stored}
	return nil
}

// Apply does with a record what a worker did to the state of its key, nil for
// none, and returns the state that follows, nil where there is none. ErrDamaged or
// cdf.ErrLater, wrapped, says that the state cannot be read.
func (c *Recomputer) Apply(s *Recomputed, r *Record) (*Recomputed, error) {
	if r.Refused != nil || checkKey(r.Key) != "" {
		return s, nil
	}
	key := string(r.Key)
	if s == nil {
		spec, ok := c.lane.rules.Match(key)
		if !ok {
			return nil, nil
		}
		s = &Recomputed{entry{key: key, state: &keyState{spec: spec}}}
	}
	e := &s.entry
	c.risked = false
	t := task{record: r, entry: e, spec: e.state.spec}
	followed := c.ledger.Follows(key)
	if followed {
		c.ledger.See(key, r.Time)
	}
	if followed && r.Value != nil {
		t.over = c.ledger.Over(key)
	}
	if err := c.lane.one(&t); errors.Is(err, ErrDamaged) || errors.Is(err, cdf.ErrLater) {
		return nil, fmt.Errorf("offset %d: %w", r.Offset, err)
	} else if err != nil {
		// A worker drops its memory and makes the record a dead letter.
		if !c.risked {
			if c.before, err = s.Value(); err != nil {
				return nil, err
			}
		}
		e.state, t.poison, t.fault = &keyState{spec: e.state.spec, stored: c.before}, true, fault.In(err)
		if err := c.lane.one(&t); err != nil {
			return nil, fmt.Errorf("offset %d: %w", r.Offset, err)
		}
	}
	c.lane.dirty, c.lane.outs = c.lane.dirty[:0], nil
	e.state.dirty = false
	lives := e.state.model != nil || e.state.stored != nil
	if followed {
		c.ledger.Set(key, lives)
	}
	if !lives {
		return nil, nil
	}
	e.size = e.state.size(key)
	return s, nil
}

// Value returns the value that a worker would have stored.
func (s *Recomputed) Value() (Stored, error) {
	return s.entry.state.encode(new([]byte))
}

// Move takes the state to another partition, as a rescaling does.
func (s *Recomputed) Move(from int32) error {
	value, err := s.Value()
	if err != nil {
		return err
	}
	if value, err = MoveStored(s.entry.key, value, from); err != nil {
		return err
	}
	s.entry.state = &keyState{spec: s.entry.state.spec, stored: value}
	return nil
}

// Size returns the bytes held.
func (s *Recomputed) Size() int64 { return s.entry.size }

// Rest is what a worker's cache holds of states that are saved and whose models are not at
// hand.
type Rest struct {
	packed *shelf.Shelf
	whole  int64
}

// NewRest returns one of no states.
func NewRest() *Rest { return &Rest{packed: shelf.New()} }

// Add adds the state of a key that was not added before.
func (r *Rest) Add(s *Recomputed) error {
	value, err := s.Value()
	if err != nil {
		return err
	}
	rest := keyState{spec: s.entry.state.spec, model: s.entry.state.model, stored: value}
	rest.pack(rest.size(s.entry.key))
	if rest.model == nil {
		r.packed.Put(s.entry.key, shelf.Value{Bytes: value})
	} else {
		r.whole += rest.size(s.entry.key)
	}
	return nil
}

// Bytes returns what the states take.
func (r *Rest) Bytes() int64 { return r.whole + r.packed.Size() }

// under returns the same models under other limits.
func (r *Rules) under(l Limits) *Rules {
	other := &Rules{limits: l, configured: r.configured, gathering: r.gathering}
	for _, rule := range r.rules {
		spec := *rule.Spec
		spec.Limits = cdf.Limits{Rows: l.Rows, Columns: l.Columns, Groups: l.Groups}
		rule.Spec = &spec
		other.rules = append(other.rules, rule)
	}
	return other
}
