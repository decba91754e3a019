package compressed

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/compressed/projection"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/regression"
	"github.com/credence-stream/credence/models/kind"
)

// Settings are the settings of compressed regression. What does
// not apply to the projection or the statistics chosen is empty.
type Settings struct {
	Dimension      int       `yaml:"dimension" json:"dimension"`             // m, at least 1
	Projection     string    `yaml:"projection" json:"projection"`           // learned | fixed
	ProjectionSeed uint64    `yaml:"projection_seed" json:"projection_seed"` // of the signs (fixed) or of the projection's prior mean (packed, lean)
	ProjectionFile string    `yaml:"projection_file" json:"-"`               // fixed: a matrix instead of random signs
	Content        string    `yaml:"-" json:"projection_file,omitempty"`     // what the file held, as a digest: the path identifies nothing
	Statistics     string    `yaml:"statistics" json:"statistics,omitempty"` // learned: sketch | exact | packed | lean
	Rank           int       `yaml:"rank" json:"rank,omitempty"`             // sketch: rows kept; 0 is m(m+1)
	Discount       []float64 `yaml:"discount" json:"discount,omitempty"`     // learned, but for exact: a1 and a2, at least 0; nil is the default of the statistics
	Prior          Prior     `yaml:"prior" json:"prior"`

	matrix *projection.Matrix // of ProjectionFile, once it was read
}

// ReadFiles reads the projection file, if one is of use.
func (s *Settings) ReadFiles(open func(path string) (io.ReadCloser, error)) error {
	if s.ProjectionFile == "" || s.Projection != "fixed" {
		return nil
	}
	f, err := open(s.ProjectionFile)
	if err != nil {
		return fmt.Errorf("projection_file: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	if s.matrix, err = projection.Parse(s.ProjectionFile, f); err != nil {
		return fmt.Errorf("projection_file: %w", err)
	}
	return nil
}

// Prior is the prior beta ~ N(0, sigma2 v I), sigma2 ~ IG(shape,
// rate) on the scaled columns. Every number is positive and finite, but for a
// BetaVariance of 0. The sketch has no beta: its prior variance is estimated.
type Prior struct {
	Sigma2Shape  float64 `yaml:"sigma2_shape" json:"sigma2_shape"`   // a
	Sigma2Rate   float64 `yaml:"sigma2_rate" json:"sigma2_rate"`     // b, in units of y^2
	BetaVariance float64 `yaml:"beta_variance" json:"beta_variance"` // v; 0: estimated (fixed), 1 (learned)
	// SignalShape is s: of the response's variance the columns have a part that is
	// Beta(s, s), where the prior variance is estimated. 0 leaves that to the
	// evidence alone, whose maximum may be at 0.
	SignalShape float64 `yaml:"signal_shape" json:"signal_shape,omitempty"`
}

// signal is the log density of log r, r the variance that the columns add over that
// of the noise, but for a constant.
func (p *Prior) signal(r float64) float64 {
	if p.SignalShape == 0 {
		return 0
	}
	return p.SignalShape * (math.Log(r) - 2*math.Log1p(r))
}

// Defaults returns the settings that hold where none are given.
// Statistics, discount, rank and beta_variance depend on other settings and are
// empty.
func Defaults() Settings {
	return Settings{
		Dimension: 10, Projection: "learned", ProjectionSeed: 1,
		Prior: Prior{Sigma2Shape: 1, Sigma2Rate: 1, SignalShape: 0.5},
	}
}

// maxDimension bounds m and the rank: a sketch's shard costs their cube.
const maxDimension = 4096

// Complete fills in what depends on other settings and names the first
// setting that is out of range or contradicts another one.
func (s Settings) Complete(variant string) (Settings, error) {
	fail := func(format string, args ...any) (Settings, error) {
		return s, fmt.Errorf("compressed: "+format, args...)
	}
	if s.Dimension < 1 || s.Dimension > maxDimension {
		return fail("dimension must be between 1 and %d, got %d", maxDimension, s.Dimension)
	}
	if err := cmp.Or(
		kind.Positive("compressed", "sigma2_shape", s.Prior.Sigma2Shape),
		kind.Positive("compressed", "sigma2_rate", s.Prior.Sigma2Rate),
	); err != nil {
		return s, err
	}
	if v := s.Prior.BetaVariance; v != 0 {
		if err := kind.Positive("compressed", "beta_variance", v); err != nil {
			return s, err
		}
	}
	if v := s.Prior.SignalShape; !(v >= 0) || math.IsInf(v, 1) {
		return fail("prior.signal_shape must be finite and not negative (0 leaves it to the evidence), got %v", v)
	}
	switch s.Projection {
	case "fixed":
		switch {
		case variant == "paper":
			return fail("variant paper learns its projection, projection: fixed is not possible")
		case s.Statistics != "":
			return fail("statistics: %s is for projection: learned", s.Statistics)
		case s.Discount != nil:
			return fail("discount is for projection: learned")
		case s.Rank != 0:
			return fail("rank is for statistics: sketch")
		}
		return s, nil
	case "learned":
	default:
		return fail("projection must be learned or fixed, got %q", s.Projection)
	}
	if s.Prior.BetaVariance == 0 {
		s.Prior.BetaVariance = 1
	}
	if s.ProjectionFile != "" {
		return fail("projection_file %q is for projection: fixed", s.ProjectionFile)
	}
	return s.completeLearned(variant)
}

func (s Settings) completeLearned(variant string) (Settings, error) {
	fail := func(format string, args ...any) (Settings, error) {
		return s, fmt.Errorf("compressed: "+format, args...)
	}
	usual, discount := "sketch", map[string][]float64{"exact": nil, "sketch": {3, .3}, "packed": {3, .5}, "lean": {3, 1}}
	if variant == "paper" {
		usual, discount = "packed", map[string][]float64{"packed": {0, 0}}
	}
	if s.Statistics == "" {
		s.Statistics = usual
	}
	if s.Statistics != "sketch" && s.Statistics != "exact" {
		s.Prior.SignalShape = 0 // they have a beta, whose variance is given
	}
	d, known := discount[s.Statistics]
	if !known {
		if variant == "paper" {
			return fail("variant paper has statistics: packed only, got %q", s.Statistics)
		}
		return fail("statistics must be sketch, exact, packed or lean, got %q", s.Statistics)
	}
	if s.Rank != 0 && s.Statistics != "sketch" {
		return fail("rank is for statistics: sketch, not %s", s.Statistics)
	}
	if s.Statistics == "exact" {
		if s.Discount != nil {
			return fail("discount is for statistics that give something up, not for exact ones")
		}
		return s, nil
	}
	if s.Discount == nil {
		s.Discount = d
	}
	if len(s.Discount) != 2 {
		return fail("discount has two numbers, got %d", len(s.Discount))
	}
	for _, v := range s.Discount {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fail("discount must not be negative or infinite, got %v", v)
		}
	}
	if variant == "paper" && !slices.Equal(s.Discount, d) {
		return fail("variant paper has discount: [0, 0], got %v", s.Discount)
	}
	if s.Statistics == "sketch" {
		if s.Rank == 0 {
			s.Rank = min(s.Dimension*(s.Dimension+1), maxDimension)
		}
		if s.Rank < 1 || s.Rank > maxDimension {
			return fail("rank must be between 1 and %d, got %d", maxDimension, s.Rank)
		}
	}
	return s, nil
}

// worseThanNull is the flag of a form whose errors of prediction exceed those of
// the mean of the responses before.
const worseThanNull = "worse_than_null"

// fewRowsPerColumn is the flag of statistics of too few rows for the prior (few), and of a sketch that has
// given curvature up before there were rows enough: coefficients whose columns were given up while they were
// near 0 are still drawn there, the largest of them by far more than their sds.
const fewRowsPerColumn = "few_rows_per_column"

// leastRows is how many rows the prior variance of gamma takes, which is estimated and counts as
// known. Of fewer, intervals of 95 % hold .76 to .92 of strong coefficients, whether there are 5
// columns or 60 (TestFewRows).
const leastRows = 25

// leastPerColumn is how many rows to a column leave the largest of 100 within their intervals, be they one or five: with
// one they were 3 to 8 sds off.
const leastPerColumn = 2

// few reports whether n rows are too few for the prior: for its variance (leastRows), to tell of each of the columns
// of g, or because the largest coefficient is more than five sds of the prior, which all
// have in common, and drawn to 0 by more than two of its own. So is a single one of 1 among 300 that are
// 0, with noise of 1, for thousands of rows. sigma2 is the variance of the noise, curvature the diagonal of S.
func few(n float64, g []float64, logKappa, sigma2 float64, curvature func(column int) float64) bool {
	if n < leastRows || n < float64(leastPerColumn*len(g)) {
		return n > 0
	}
	at := 0
	for j, v := range g {
		if math.Abs(v) > math.Abs(g[at]) {
			at = j
		}
	}
	square, precision := g[at]*g[at]/sigma2, math.Exp(-logKappa)
	return square*precision > 25 && square*precision*precision > 4*(curvature(at)+precision)
}

// leastTold is the share of the curvature of rows from which on the largest of the coefficients are within their
// intervals: of 500 columns after some 20 rows to a column, of 1,000 after 35 (TestLargeCoefficients).
const leastTold = .9

// leastErrors is how many errors of prediction tell sigma2 well enough.
const leastErrors = 50

// Flags lists those that the model may raise.
func (s Settings) Flags() []string { return []string{worseThanNull, fewRowsPerColumn} }

// Advise says what to do about a flag: see docs/models/compressed.md.
func (s Settings) Advise(flag string) string {
	switch {
	case flag == fewRowsPerColumn:
		return "intervals of gamma may be far too short or too wide, and the largest coefficients too near to 0: there are fewer than two rows to a column or than 25, a few coefficients " +
			"are much larger than the others, which have one prior in common, or a sketch dropped directions before there were rows enough, of which 4 to 40 to a column, or fifty after a first " +
			"large shard, are: wait for more rows, or use kind linear; against the last raise settings.rank, or set settings.statistics: exact"
	case flag != worseThanNull:
		return ""
	case s.Projection == "fixed":
		return "predictions are worse than the mean of the response: set settings.projection: learned, or settings.prior.beta_variance: 0, " +
			"or take a projection that keeps what the response depends on"
	case s.Statistics == "sketch":
		return "predictions are worse than the mean of the response: raise settings.rank, set forget where the relation changes, " +
			"or leave out columns that say nothing about the response"
	case s.Statistics == "exact":
		return "predictions are worse than the mean of the response: set forget where the relation changes, " +
			"or leave out columns that say nothing about the response"
	}
	return "predictions are worse than the mean of the response: set settings.statistics: sketch"
}

func build(s *Settings, variant string) (kind.Build, error) {
	set, err := s.Complete(variant)
	if err != nil {
		return nil, err
	}
	if set.Projection == "fixed" && set.ProjectionFile != "" {
		switch {
		case set.matrix == nil:
			return nil, fmt.Errorf("compressed: projection_file %s was not read", set.ProjectionFile)
		case set.matrix.M != set.Dimension:
			return nil, fmt.Errorf("compressed: projection_file %s has %d numbers per column, dimension is %d",
				set.ProjectionFile, set.matrix.M, set.Dimension)
		}
		set.Content = "sha256:" + set.matrix.Digest()
	}
	*s = set
	switch {
	case set.Projection == "fixed":
		scratch := newFixedScratch()
		return func(d cdf.Dims) (cdf.Model, error) { return newFixed(set, set.matrix, d, scratch) }, nil
	case set.Statistics == "exact":
		scratch := newExactScratch()
		return func(d cdf.Dims) (cdf.Model, error) { return newExact(set, d, scratch) }, nil
	case set.Statistics != "sketch":
		scratch := newLearnedScratch()
		return func(d cdf.Dims) (cdf.Model, error) { return newLearned(set, variant == "paper", d, scratch) }, nil
	}
	scratch := newSketchScratch()
	return func(d cdf.Dims) (cdf.Model, error) { return newSketch(set, d, scratch) }, nil
}

// Shape is what all forms of the model, and its competitors, know of
// their columns.
// Only gamma and sigma2 are identified: the projection and its coefficients
// may rotate.
type Shape struct {
	regression.Shape
	settings Settings
}

// NewShape returns the shape for the columns; ErrSchema, wrapped,
// where there are none.
func NewShape(s Settings, d cdf.Dims) (Shape, error) {
	if len(d.Columns) == 0 {
		return Shape{}, fmt.Errorf("%w: compressed needs a feature", cdf.ErrSchema)
	}
	return Shape{regression.Shape{Name: "gamma", P: len(d.Columns)}, s}, nil
}

// sigmaPriorSD writes the prior sd of sigma2; that of gamma is undefined.
func (s *Shape) sigmaPriorSD(functionals []cdf.Functional, dst []float64) {
	_, sd := dist.InvGammaMoments(s.settings.Prior.Sigma2Shape, s.settings.Prior.Sigma2Rate)
	for i := range functionals {
		dst[i] = math.NaN()
		if factor, isSigma, _ := s.Split(&functionals[i]); isSigma {
			dst[i] = math.Abs(factor) * sd
		}
	}
}
