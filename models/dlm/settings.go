package dlm

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// Settings are the settings of all variants of the dynamic linear model.
type Settings struct {
	// Mode is grid, compact or filtered; variant paper has one rule of its
	// own and does not look at it.
	Mode string `yaml:"mode" json:"mode"`
	// Mean says whether the mean to which the level returns is 0, in units of the
	// scaled response: known, unknown, or auto, which is unknown where the centre of the
	// response is that of the first rows. Mode grid alone can estimate it.
	Mean  string `yaml:"mean" json:"mean"`
	Prior Prior  `yaml:"prior" json:"prior"`
	// Window is the number of steps kept as data; mode grid keeps none.
	Window int `yaml:"window" json:"window"`
}

// Prior is the prior on the scaled response: sigma2 ~ IG(a, b),
// tau2 ~ IG(c, d), phi ~ N(mean, variance) restricted to (-1, 1), or uniform
// there where the variance is 0.
type Prior struct {
	Sigma2Shape float64 `yaml:"sigma2_shape" json:"sigma2_shape"`
	Sigma2Rate  float64 `yaml:"sigma2_rate" json:"sigma2_rate"`
	Tau2Shape   float64 `yaml:"tau2_shape" json:"tau2_shape"`
	Tau2Rate    float64 `yaml:"tau2_rate" json:"tau2_rate"`
	// Theta0Variance is h: theta_0 ~ N(0, h sigma2), in every mode and variant.
	Theta0Variance float64 `yaml:"theta0_variance" json:"theta0_variance"`
	PhiMean        float64 `yaml:"phi_mean" json:"phi_mean"`
	PhiVariance    float64 `yaml:"phi_variance" json:"phi_variance"`
}

// Defaults returns the settings that hold where none are given.
func Defaults() Settings {
	return Settings{Mode: "grid", Mean: "auto", Window: 50, Prior: Prior{
		Sigma2Shape: 2, Sigma2Rate: 0.2, Tau2Shape: 2, Tau2Rate: 0.2, Theta0Variance: 10,
	}}
}

// widest bounds the window, whose steps are filtered once per draw.
const widest = 10_000

// Validate names the first setting that is out of range.
func (s Settings) Validate() error {
	switch s.Mode {
	case "grid", "compact", "filtered":
	default:
		return fmt.Errorf("dlm: mode %q is none of grid, compact, filtered", s.Mode)
	}
	switch s.Mean {
	case "auto", "known":
	case "unknown":
		if s.Mode != "grid" {
			return fmt.Errorf("dlm: mode %s takes the mean for known: leave mean out, or set mode to grid", s.Mode)
		}
	default:
		return fmt.Errorf("dlm: mean %q is none of auto, known, unknown", s.Mean)
	}
	if s.Window < 2 || s.Window > widest {
		return fmt.Errorf("dlm: window must lie between 2 and %d, got %d", widest, s.Window)
	}
	p := s.Prior
	for _, v := range []struct {
		name  string
		value float64
	}{
		{"sigma2_shape", p.Sigma2Shape}, {"sigma2_rate", p.Sigma2Rate},
		{"tau2_shape", p.Tau2Shape}, {"tau2_rate", p.Tau2Rate},
		{"theta0_variance", p.Theta0Variance},
	} {
		if !(v.value > 0 && v.value < 1e100) {
			return fmt.Errorf("dlm: prior.%s must be positive and below 1e100, got %v", v.name, v.value)
		}
	}
	if !(p.PhiVariance >= 0 && p.PhiVariance < 1e100) {
		return fmt.Errorf("dlm: prior.phi_variance must be 0 (uniform) or positive and below 1e100, got %v", p.PhiVariance)
	}
	if !(math.Abs(p.PhiMean) < 1e6) {
		return fmt.Errorf("dlm: prior.phi_mean must lie within 1e6 of 0, got %v", p.PhiMean)
	}
	return nil
}

// logPhi returns the log prior density of phi up to a constant.
func (p *Prior) logPhi(phi float64) float64 {
	if p.PhiVariance == 0 {
		return 0
	}
	d := phi - p.PhiMean
	return -0.5 * d * d / p.PhiVariance
}

// knows reports that the mean of the level is 0.
func (s *Settings) knows(d cdf.Dims) bool {
	return s.Mean == "known" || s.Mean == "auto" && !d.Centered
}

func build(s *Settings, variant string) (kind.Build, error) {
	set, scratch := *s, newFilteredScratch()
	switch {
	case variant == "paper" || s.Mode == "filtered":
		return func(d cdf.Dims) (cdf.Model, error) { return newFiltered(set, d, variant == "paper", scratch) }, nil
	case s.Mode == "compact":
		return func(d cdf.Dims) (cdf.Model, error) { return NewCompact(set, d) }, nil
	}
	families := [...]*family{newFamily(set, false), newFamily(set, true)}
	return func(d cdf.Dims) (cdf.Model, error) {
		f := families[0]
		if set.knows(d) {
			f = families[1]
		}
		return newOnGrid(f, d)
	}, nil
}

// The rows of Draws.
const (
	phiRow = iota
	tau2Row
	sigma2Row
	thetaRow
	muRow // where it is not known
)

var params = []cdf.Param{{Name: "phi", Len: 1}, {Name: "tau2", Len: 1}, {Name: "sigma2", Len: 1}, {Name: "theta", Len: 1}, {Name: "mu", Len: 1}}

// Params returns phi, tau2, sigma2 and theta, the level after the last row:
// the rows of Draws where the mean is known. It must not be changed.
func Params() []cdf.Param { return params[:muRow:muRow] }

// Columns refuses columns other than the response and the time.
func Columns(d cdf.Dims) error {
	if len(d.Columns) > 0 {
		return fmt.Errorf("%w: dlm takes neither an intercept nor features, got %q", cdf.ErrSchema, d.Columns)
	}
	return nil
}

// Moments reports whether row k of the draws, as Params lists them, has a
// posterior mean and sd after n observations of so many steps: where tau2 is large only one of a step tells of it.
func (p *Prior) Moments(k int, n, steps float64) (mean, sd bool) {
	switch k {
	case thetaRow:
		return true, n > 0 || min(p.Sigma2Shape, p.Tau2Shape) > 1
	case tau2Row:
		return p.Tau2Shape+steps/2 > 1, p.Tau2Shape+steps/2 > 2
	case sigma2Row:
		return p.Sigma2Shape+n/2 > 1, p.Sigma2Shape+n/2 > 2
	}
	return true, true
}

// PriorSD writes the prior sd of each functional, NaN where undefined or, for
// theta, not known in closed form.
func (p *Prior) PriorSD(functionals []cdf.Functional, dst []float64) {
	p.priorSD(functionals, dst, p.phiSD())
}

// priorSD is PriorSD, that of phi given: it is an integral.
func (p *Prior) priorSD(functionals []cdf.Functional, dst []float64, phi float64) {
	sd := func(shape, rate float64) float64 {
		if !(shape > 2) {
			return math.NaN()
		}
		return rate / ((shape - 1) * math.Sqrt(shape-2))
	}
	for i, f := range functionals {
		dst[i] = math.NaN()
		if len(f.Param) != 1 {
			continue
		}
		switch f.Param[0] {
		case phiRow:
			dst[i] = phi
		case tau2Row:
			dst[i] = sd(p.Tau2Shape, p.Tau2Rate)
		case sigma2Row:
			dst[i] = sd(p.Sigma2Shape, p.Sigma2Rate)
		}
		dst[i] *= math.Abs(f.Weight[0])
	}
}

// phiSD returns the prior sd of phi by the midpoint rule.
func (p *Prior) phiSD() float64 {
	const n = 2000
	top := p.logPhi(min(max(p.PhiMean, -1), 1))
	sum, first, second := 0.0, 0.0, 0.0
	for i := range n {
		phi := -1 + (float64(i)+0.5)*2/n
		w := math.Exp(p.logPhi(phi) - top)
		sum += w
		first += w * phi
		second += w * phi * phi
	}
	mean := first / sum
	return math.Sqrt(second/sum - mean*mean)
}
