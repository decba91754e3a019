// Package example holds the model that docs/add-a-model.md explains. In the
// tree it would be the folder models/level.
package example

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/kind"
)

// LevelSettings are the settings of Level: variances, positive and finite, in
// units of the scaled response.
type LevelSettings struct {
	Noise float64 `yaml:"noise" json:"noise"` // v
	Prior float64 `yaml:"prior" json:"prior"` // w
}

// Kind returns what is known of the kind.
func Kind() *kind.Kind {
	return &kind.Kind{
		Name:      "level",
		Purpose:   "the mean of a response with known variance",
		Formula:   "y = μ + e, e ~ N(0, v)",
		Text:      "A level μ under noise of known variance v.",
		Variants:  []string{"exact"},
		Configure: kind.Settings(LevelSettings{Noise: 1, Prior: 100}, build),
	}
}

func build(s *LevelSettings, _ string) (kind.Build, error) {
	if !(s.Noise > 0 && s.Prior > 0) || math.IsInf(s.Noise+s.Prior, 1) {
		return nil, fmt.Errorf("level: noise %v and prior %v must be positive and finite", s.Noise, s.Prior)
	}
	return func(cdf.Dims) (cdf.Model, error) { return &Level{set: *s}, nil }, nil
}

// Level is the mean of a response with known variance:
//
//	y_i | mu ~ N(mu, v),  mu ~ N(0, w)
//
// One block with C = (n, sum of y). The posterior is N(m, 1/q) with
// q = n/v + 1/w and m = sum / (v q).
type Level struct {
	set LevelSettings
	n   float64 // rows absorbed, discounted
	sum float64 // of their responses, discounted
}

// Params returns mu.
func (m *Level) Params() []cdf.Param { return []cdf.Param{{Name: "mu", Len: 1}} }

// Check has nothing to add to the engine's own checks.
func (m *Level) Check(*cdf.Shard) error { return nil }

// Blocks returns the single block {mu}.
func (m *Level) Blocks() []cdf.Block { return []cdf.Block{m} }

func (m *Level) posterior() (mean, sd float64) {
	q := m.n/m.set.Noise + 1/m.set.Prior
	return m.sum / (m.set.Noise * q), 1 / math.Sqrt(q)
}

// Absorb discounts the statistics and adds the rows that have a response.
func (m *Level) Absorb(s *cdf.Step) {
	m.n *= s.Forget
	m.sum *= s.Forget
	for _, y := range s.Shard.Y {
		if !math.IsNaN(y) { // not NaN
			m.n++
			m.sum += y
		}
	}
}

// Sample draws mu ~ N(m, 1/q) where draws are asked for.
func (m *Level) Sample(s *cdf.Step) error {
	mean, sd := m.posterior()
	if !lin.Finite(mean) { // infinite or NaN
		return fmt.Errorf("%w: level: the mean is %g", cdf.ErrNumeric, mean)
	}
	if s.Draws != nil {
		mu := s.Draws.Row(0)
		for i := range mu {
			mu[i] = mean + sd*s.RNG.NormFloat64()
		}
	}
	return nil
}

// AppendBinary appends n and the sum, 16 bytes.
func (m *Level) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.n))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(m.sum)), nil
}

// UnmarshalBinary replaces the state.
func (m *Level) UnmarshalBinary(b []byte) error {
	if len(b) != 16 {
		return fmt.Errorf("%w: a level of %d bytes", cdf.ErrSnapshot, len(b))
	}
	m.n = math.Float64frombits(binary.LittleEndian.Uint64(b))
	m.sum = math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
	if !(m.n >= 0) || !lin.Finite(m.n, m.sum) { // infinite or NaN
		return fmt.Errorf("%w: %g rows with the sum %g", cdf.ErrSnapshot, m.n, m.sum)
	}
	return nil
}

// Summarize describes mu in closed form.
func (m *Level) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	mean, sd := m.posterior()
	for i, f := range list { // Const + Weight[0] mu
		r, at, by := &rows[i], f.Const+f.Weight[0]*mean, math.Abs(f.Weight[0])*sd
		r.Mean, r.SD, r.Median, r.MCSEMean = at, by, at, 0
		r.Q025, r.Q975 = at-1.959963984540054*by, at+1.959963984540054*by
		r.Q05, r.Q95 = at-1.6448536269514722*by, at+1.6448536269514722*by
		r.Q25, r.Q75 = at-.6744897501960817*by, at+.6744897501960817*by
	}
	return nil
}

// PriorSD writes the sd that each functional has before the first row.
func (m *Level) PriorSD(list []cdf.Functional, dst []float64) {
	for i, f := range list {
		dst[i] = math.Abs(f.Weight[0]) * math.Sqrt(m.set.Prior)
	}
}
