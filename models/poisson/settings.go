package poisson

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/kind"
)

// Settings are the settings of both variants of the Model model.
type Settings struct {
	Prior Prior `yaml:"prior" json:"prior"`
	// Buffer is the number of shards, the present one among them, whose rows
	// are kept and expanded anew with every shard; 0 and 1: none but the
	// present one.
	Buffer int `yaml:"buffer" json:"buffer"`
	// Overdispersion is lognormal, an effect of its own for each row, or none, which
	// variant paper always has.
	Overdispersion string `yaml:"overdispersion" json:"overdispersion"`
}

// Prior is the prior on the scaled columns: beta_j ~ N(0, BetaVariance),
// and for the variance s2 of each grouping term either sqrt(s2) ~ half-Cauchy
// of the given scale or s2 ~ IG(shape, rate). Every number is positive and
// finite.
type Prior struct {
	BetaVariance float64 `yaml:"beta_variance" json:"beta_variance"`
	Group        string  `yaml:"group" json:"group"`             // half-cauchy | inverse-gamma
	GroupScale   float64 `yaml:"group_scale" json:"group_scale"` // of the half-Cauchy, on the standard deviation
	GroupShape   float64 `yaml:"group_shape" json:"group_shape"` // of the inverse gamma
	GroupRate    float64 `yaml:"group_rate" json:"group_rate"`   // of the inverse gamma, on the variance
}

const (
	none         = "none"
	halfCauchy   = "half-cauchy"
	inverseGamma = "inverse-gamma"
	lognormal    = "lognormal"
	// bufferMax bounds the rows that a state may hold.
	bufferMax = 1000
	// coreMax is the largest order of a matrix that is factored per step.
	coreMax = 500
	// arrowMax bounds the numbers held for the levels of the first factor.
	arrowMax = 10_000_000
	// countMax is the largest count that is told apart from its neighbours.
	countMax = 1 << 53
)

// Defaults returns the settings that hold where none are given.
func Defaults() Settings {
	return Settings{
		Prior:          Prior{BetaVariance: 10_000, Group: halfCauchy, GroupScale: 10, GroupShape: 1, GroupRate: 0.1},
		Overdispersion: lognormal,
	}
}

// Validate names the first setting that is out of range.
func (s Settings) Validate() error {
	if err := cmp.Or(
		kind.Positive("poisson", "beta_variance", s.Prior.BetaVariance),
		kind.Positive("poisson", "group_scale", s.Prior.GroupScale),
		kind.Positive("poisson", "group_shape", s.Prior.GroupShape),
		kind.Positive("poisson", "group_rate", s.Prior.GroupRate),
	); err != nil {
		return err
	}
	if g := s.Prior.Group; g != halfCauchy && g != inverseGamma {
		return fmt.Errorf("poisson: prior.group is %q, want %s or %s", g, halfCauchy, inverseGamma)
	}
	if s.Buffer < 0 || s.Buffer > bufferMax {
		return fmt.Errorf("poisson: buffer must be 0 to %d shards, got %d", bufferMax, s.Buffer)
	}
	if o := s.Overdispersion; o != none && o != lognormal {
		return fmt.Errorf("poisson: overdispersion is %q, want %s or %s", o, none, lognormal)
	}
	return nil
}

func build(s *Settings, variant string) (kind.Build, error) {
	if variant == "paper" {
		s.Overdispersion = none // the paper's rows have no effects of their own
	}
	set, scratch := *s, newScratch()
	if variant != "paper" {
		return func(d cdf.Dims) (cdf.Model, error) { return newModel(set, d, scratch) }, nil
	}
	if s.Buffer > 0 {
		return nil, fmt.Errorf("poisson: variant paper has no buffer")
	}
	return func(d cdf.Dims) (cdf.Model, error) { return newPaper(set, d, scratch) }, nil
}

func newScratch() *sync.Pool { return &sync.Pool{New: func() any { return new(work) }} }

// shape is what both variants know of their columns and factors.
type shape struct {
	settings  Settings
	k         int // columns of X
	intercept bool
	factors   []factor
	terms     int // of all factors
	slopes    int // of all factors
}

// factor is a grouping factor: an intercept per level, and one effect
// per slope. Each of them is a term with a variance of its own.
type factor struct {
	column string
	q      int // terms
	term   int // index of the first
	slope  int // index of its first slope in Shard.Slopes
}

func newShape(s Settings, d cdf.Dims) (shape, error) {
	p := shape{settings: s, k: len(d.Columns), intercept: d.Intercept}
	if err := s.Validate(); err != nil {
		return p, err
	}
	if len(d.Columns) == 0 && len(d.Groups) == 0 {
		return p, fmt.Errorf("%w: poisson needs an intercept, a feature or a group", cdf.ErrSchema)
	}
	if p.k > coreMax {
		return p, fmt.Errorf("%w: poisson takes up to %d columns of coefficients, got %d", cdf.ErrSchema, coreMax, p.k)
	}
	for _, g := range d.Groups {
		q := 1 + len(g.Slopes)
		p.factors = append(p.factors, factor{column: g.Column, q: q, term: p.terms, slope: p.slopes})
		p.terms += q
		p.slopes += len(g.Slopes)
	}
	return p, nil
}

// half reports the half-Cauchy prior.
func (p *shape) half() bool { return p.settings.Prior.Group == halfCauchy }

// z writes what row i of the shard's slopes says about the terms of a factor:
// 1 and the slopes.
func (f *factor) z(slopes [][]float64, i int, dst []float64) {
	dst[0] = 1
	for j := range f.q - 1 {
		dst[1+j] = slopes[f.slope+j][i]
	}
}

// Check reports, wrapping ErrShard, a shard of the wrong shape, a response
// that is not a count, and what is not finite. Rows are named from 1.
func (m *base) Check(sh *cdf.Shard) error { return m.CheckBehind(sh, &cdf.Before{}) }

// CheckBehind is Check of rows behind others, whose levels count too.
func (m *base) CheckBehind(sh *cdf.Shard, b *cdf.Before) error {
	if sh.Cols != m.k || len(sh.X) != sh.Rows*sh.Cols || len(sh.Y) != sh.Rows ||
		len(sh.Group) != len(m.factors) || len(sh.Slopes) != m.slopes ||
		len(sh.Offset) != 0 && len(sh.Offset) != sh.Rows {
		return fmt.Errorf("%w: %d rows of %d columns, %d factors and %d slopes, want %d, %d and %d",
			cdf.ErrShard, sh.Rows, sh.Cols, len(sh.Group), len(sh.Slopes), m.k, len(m.factors), m.slopes)
	}
	for _, v := range append(sh.Slopes[:len(sh.Slopes):len(sh.Slopes)], sh.Offset) {
		if i := lin.IndexNotFinite(v); i >= 0 {
			return fmt.Errorf("%w: slope or log exposure of row %d is %v", cdf.ErrShard, i+1, v[i])
		}
	}
	if !sh.Finite {
		if i := lin.IndexNotFinite(sh.X); i >= 0 {
			return fmt.Errorf("%w: row %d, column %d is %v", cdf.ErrShard, i/m.k+1, i%m.k+1, sh.X[i])
		}
	}
	for i, y := range sh.Y {
		if !math.IsNaN(y) && (y < 0 || y > countMax || y != math.Floor(y)) {
			return fmt.Errorf("%w: response of row %d is %v, which is not a count", cdf.ErrShard, i+1, y)
		}
	}
	return m.checkLevels(sh, b)
}

// checkLevels refuses levels that would take the matrices beyond their bounds.
func (m *base) checkLevels(sh *cdf.Shard, b *cdf.Before) error {
	core, first := m.stats.c, m.stats.levels(0)
	for f := range m.factors {
		n := m.stats.levels(f)
		if len(b.Levels) > 0 {
			n = max(n, b.Levels[f])
		}
		for i, g := range sh.Group[f] {
			if y := sh.Y[i]; !math.IsNaN(y) {
				n = max(n, int(g)+1)
			}
		}
		if f == 0 && m.stats.arrow {
			first = n
		} else {
			core += (n - m.stats.levels(f)) * m.factors[f].q
		}
	}
	if core > coreMax {
		return fmt.Errorf("%w: %d coefficients and effects of groups beside the first factor's, at most %d: "+
			"list the factor with the most levels first", cdf.ErrShard, core, coreMax)
	}
	if m.stats.arrow && first*record(m.stats.q, core) > arrowMax {
		return fmt.Errorf("%w: %d levels of %q with %d coefficients take more than %d numbers",
			cdf.ErrShard, first, m.factors[0].column, core, arrowMax)
	}
	return nil
}

// PriorSD writes the prior sd of each functional, NaN where the prior has no
// variance: the half-Cauchy never has one.
func (m *base) PriorSD(functionals []cdf.Functional, dst []float64) {
	p := &m.settings.Prior
	effect, variance := math.NaN(), math.NaN()
	if a, r := p.GroupShape, p.GroupRate; !m.half() {
		if a > 1 {
			effect = r / (a - 1)
		}
		if a > 2 {
			variance = r * r / ((a - 1) * (a - 1) * (a - 2))
		}
	}
	levels := m.stats.effects()
	for i, f := range functionals {
		v := 0.0
		for l, j := range f.Param {
			w2 := f.Weight[l] * f.Weight[l]
			switch {
			case j < m.k:
				v += w2 * p.BetaVariance
			case j < m.k+levels:
				v += w2 * effect
			default:
				v += w2 * variance
			}
		}
		dst[i] = math.Sqrt(v)
	}
}
