package cdf

import (
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/quantity"
)

// Spec is the configuration of one kind of model for the keys that match it.
// It is fixed for the life of a filter. The tags are the canonical form that
// the fingerprint is made of: change neither names nor order.
type Spec struct {
	Kind    string `json:"kind"`
	Variant string `json:"variant"`
	Seed    uint64 `json:"seed"`
	Columns Roles  `json:"columns"`
	Draws   int    `json:"draws"`
	// Forget is lambda in (0, 1], applied per ForgetPer.
	Forget    float64 `json:"forget"`
	ForgetPer Clock   `json:"forget_per"`
	Missing   string  `json:"missing"` // level | drop | reject
	// Settings is the model's own settings struct, defaults filled in.
	Settings any `json:"settings"`
	// Revision is raised whenever the kind alone leads from the same
	// configuration and input to other bits than before, but for the last digits of
	// what SameSums allows for. It follows from Kind.
	Revision int `json:"revision,omitempty"`

	// RawResponse says that the response is a class or a count, which is
	// never centred or scaled. It follows from Kind.
	RawResponse bool `json:"-"`
	// Origin says that no intercept, explicit or implied, takes up a shift:
	// columns are scaled but not centred. It follows from Kind and Columns.
	Origin bool `json:"-"`

	// Levels is how the prior has levels of factors. It follows from Kind and Variant.
	Levels Levels `json:"-"`

	// Steps says that a row without a response is a missing observation, at
	// which time passes: it is kept for the replay of the first rows. It
	// follows from Kind.
	Steps bool `json:"-"`

	Publish Publish `json:"-"` // may change without changing the state
	Limits  Limits  `json:"-"` // may be raised without changing the state

	// New returns the model with empty statistics. ErrSchema, wrapped, says
	// that the dimensions cannot serve.
	New func(Dims) (Model, error) `json:"-"`

	print *[32]byte // set by Seal
}

// NewSpec returns a configuration with the defaults of everything that a user
// may settle. Every Spec begins here.
func NewSpec(kind, variant string, settings any, build func(Dims) (Model, error)) *Spec {
	return &Spec{
		Kind: kind, Variant: variant, Seed: 1,
		Columns: Roles{Scaling: "first", Response: Feature{Name: "y"}},
		Draws:   500, Forget: 1, ForgetPer: Clock{Unit: "shard"}, Missing: "drop",
		Settings: settings,
		Publish:  Publish{Every: 1, Scale: "original", Predictions: "none", Groups: "all", Variables: []string{"**"}},
		Limits:   Limits{Rows: 1_000_000, Columns: 5000, Groups: 100_000},
		New:      build,
	}
}

// Clock is the unit in which forgetting is counted.
type Clock struct {
	Unit   string `json:"unit"`             // shard | row | duration
	Millis int64  `json:"millis,omitempty"` // of event time, for duration
}

// Roles says what the columns of a shard serve as.
type Roles struct {
	Scaling   string    `json:"scaling"`  // first | none
	Response  Feature   `json:"response"` // Name empty: "y"
	Features  []Feature `json:"features"` // nil: every other numeric column
	Groups    []Group   `json:"groups"`
	Exposure  string    `json:"exposure"`
	Time      string    `json:"time"`
	Intercept bool      `json:"intercept"`
	// Formula, where there is one, makes the columns that the other roles name of
	// those that a shard has, and the features. Features is then empty.
	Formula Formula `json:"formula,omitempty"`
}

// Named is a column of a shard that roles name.
type Named struct {
	Name string
	Role string // as of an Input; empty: a formula's
	// Number says that it serves as a number there.
	Number bool
}

// Named returns the columns of a shard that the roles name, in their order, and whether
// they take no others. With a formula they are those that it is made of. A column
// that is named twice is there twice.
func (r *Roles) Named() (all []Named, only bool) {
	add := func(name, role string, number bool) {
		if name != "" {
			all = append(all, Named{name, role, number})
		}
	}
	if f := r.Formula; f != nil { // the other roles are of what it makes
		for _, name := range f.Columns() {
			add(name, "", false)
		}
		add(r.Time, "time", false)
		return all, !f.Point()
	}
	add(r.response(), "response", true)
	for _, f := range r.Features {
		add(f.Name, "feature", f.Levels == nil && !f.LevelsFirst)
	}
	for _, g := range r.Groups {
		add(g.Column, "group", false)
		for _, slope := range g.Slopes {
			add(slope, "slope", true)
		}
	}
	add(r.Exposure, "exposure", true)
	add(r.Time, "time", false)
	return all, r.Features != nil
}

// Formula makes columns of a shard's columns. It is safe for concurrent use, and
// its text, which identifies it, is MarshalText's.
type Formula interface {
	encoding.TextMarshaler
	// Columns are the names of the columns that it names.
	Columns() []string
	// Moments are those of which it takes the calendar, or a season in units of time.
	Moments() []string
	// Products reports whether features may have margins.
	Products() bool
	// Factors reports whether features may be levels.
	Factors() bool
	// Point reports whether it takes columns that it does not name.
	Point() bool
	// Begin settles the columns from a key's first shard, which are at most limit
	// where that is not 0. More says that rows may follow in it: a factor's levels are
	// then Expected ones. ErrSchema: they do not serve.
	Begin(b *Batch, limit int, more bool) (Derivation, error)
	// Restore returns the derivation that has what Settled returned.
	Restore(settled []Feature, limit int) (Derivation, error)
	// Responses returns the response of every row, NaN where it is missing; nil
	// where the columns have none.
	Responses(b *Batch) []float64
}

// Derivation is a formula whose columns are settled. It does not change and is safe
// for concurrent use.
type Derivation interface {
	// Settled says what the first shard settled and a snapshot holds: what the
	// formula makes columns of, with levels where it is a factor.
	Settled() []Feature
	// Features are the columns of X but for the intercept, all of them numbers.
	Features() []Feature
	// Inputs are the columns that a shard needs for features, slopes and exposure.
	Inputs() []Input
	// Responds are those that it needs for the response.
	Responds() []Input
	// Learnt reports whether the key's first shard gave levels or terms.
	Learnt() bool
	// Learns are the columns whose labels in it gave levels.
	Learns() []string
	// Derive returns the columns that the roles name, with as many rows, in room,
	// which is nil at first and whose content is valid until the next call. A result
	// that is not finite is missing. ErrSchema: a column is missing or of another
	// type. ErrShard: a value is refused.
	Derive(b *Batch, room *any) (*Batch, error)
	// Why says of a made column that has no value in a row of the batch which column
	// is to blame, and the reason: see Drop.
	Why(b *Batch, made string, row int) (column, reason string)
}

// Feature is a column of X, or the response.
type Feature struct {
	Name string `json:"name"`
	// Center and Scale, where given, win over Roles.Scaling.
	Center *float64 `json:"center,omitempty"`
	Scale  *float64 `json:"scale,omitempty"`
	// Levels makes the column categorical. First takes them from the key's
	// first shard.
	Levels      []string `json:"levels,omitempty"`
	LevelsFirst bool     `json:"levels_first,omitempty"`
	Baseline    string   `json:"baseline,omitempty"`
	Other       string   `json:"other,omitempty"` // level | drop | reject
	// Partial says of a column that a formula makes that it is 0 but in rows of some level.
	Partial bool `json:"-"`
	// Siblings, of the first level of a factor that a formula lays out, its baseline left out, are how many features from it on are such levels, or a
	// number in each.
	Siblings int `json:"-"`
	// Margins are the features that the product or the power which a formula made has to be rid of to be that of centred columns.
	Margins []Margin `json:"-"`
}

// Margin is a feature that a product holds: times the product of as many negative centres. Features are told by their places.
type Margin struct {
	Column  int
	Centers []int
	Times   float64
}

// Group is a grouping factor.
type Group struct {
	Column string   `json:"column"`
	Slopes []string `json:"slopes,omitempty"`
}

// Publish says what leaves the process after a shard.
type Publish struct {
	Every       int64 // t mod Every == 0
	Draws       bool
	Scale       string // original | model
	Covariance  bool
	Predictions string   // none | null_rows | all
	Groups      string   // all (beyond 1,000 of a factor: touched) | touched | none
	Variables   []string // globs, none: all
	// Quantities are published beside the variables, in original units whatever Scale
	// is, and Alerts watch figures of the same kind.
	Quantities []quantity.Quantity
	Alerts     []quantity.Alert
}

// Limits bound what one key may ask for; 0 is no bound.
type Limits struct {
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
	Groups  int `json:"groups"`
}

// least keeps a discount above zero, as Step promises: old statistics may
// vanish, priors may not.
const least = 1e-300

// both is the discount of two in turn, which is above zero as well.
func both(a, b float64) float64 { return max(a*b, least) }

// ages reports that rows are forgotten as the time of records goes on.
func (s *Spec) ages() bool { return s.Forget < 1 && s.ForgetPer.Unit == "duration" }

// discount returns the factor by which statistics are discounted before a
// shard of observed absorbed rows, elapsed milliseconds of event time after
// the one before it.
func (s *Spec) discount(observed int, elapsed int64) float64 {
	if !(s.Forget < 1) {
		return 1
	}
	var units float64
	switch s.ForgetPer.Unit {
	case "row":
		units = float64(observed)
	case "duration":
		if s.ForgetPer.Millis > 0 {
			units = float64(elapsed) / float64(s.ForgetPer.Millis)
		}
	default:
		units = 1
	}
	switch units {
	case 0:
		return 1
	case 1:
		return s.Forget
	}
	return max(math.Pow(s.Forget, units), least)
}

// Arithmetic is raised whenever the same configuration and input may lead to
// other bits than before, whatever the kind; see Spec.Revision.
const Arithmetic = 2

// slopesArithmetic is that of configurations whose groups have slopes, productsArithmetic that of formulas with products, levelsArithmetic that
// of factors whose levels are alike.
const slopesArithmetic, productsArithmetic, levelsArithmetic = 1, 1, 1

// Fingerprint identifies everything that the state of a filter depends on:
// SHA-256 over the canonical JSON of the tagged fields and Arithmetic.
// Publish and Limits are not part of it.
func (s *Spec) Fingerprint() [32]byte {
	if s.print != nil {
		return *s.print
	}
	slopes, products, levels := 0, 0, 0
	if slices.ContainsFunc(s.Columns.Groups, func(g Group) bool { return len(g.Slopes) > 0 }) {
		slopes = slopesArithmetic
	}
	if f := s.Columns.Formula; f != nil && f.Products() {
		products = productsArithmetic
	}
	if s.relates() {
		levels = levelsArithmetic
	}
	doc, err := json.Marshal(struct {
		Arithmetic int   `json:"arithmetic"`
		Slopes     int   `json:"slopes,omitempty"`
		Products   int   `json:"products,omitempty"`
		Levels     int   `json:"levels,omitempty"`
		Spec       *Spec `json:"spec"`
	}{Arithmetic, slopes, products, levels, s})
	if err != nil {
		// Settings that JSON cannot hold, such as NaN, identify themselves
		// by Go's notation, which is fixed for plain structs.
		doc = fmt.Appendf(nil, "%d %s %d %s %d %+v", Arithmetic, s.Kind, s.Revision, s.Variant, s.Seed, s.Settings)
	}
	return sha256.Sum256(doc)
}

// Seal computes the fingerprint once for all filters of the spec. It must be
// called before the spec is shared between goroutines, and the spec must not
// change afterwards.
func (s *Spec) Seal() {
	s.print = nil
	p := s.Fingerprint()
	s.print = &p
}
