package main

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/simulate"
)

// faults are planted in the conjugate toy. The zero value but for the scales,
// which are 1, is exact.
type faults struct {
	shift, scale float64 // of the draws, in posterior sd
	published    float64 // scale of the published sd and intervals
	correlation  float64 // of successive draws, which then are a chain's
	refuse       bool    // a shard whose mean exceeds 1
}

func exact() faults { return faults{scale: 1, published: 1} }

// toy is y ~ N(mu, 1), mu ~ N(0, 1), with faults.
type toy struct {
	faults
	n, sum float64
}

func (m *toy) Params() []cdf.Param                     { return []cdf.Param{{Name: "mu", Len: 1}} }
func (m *toy) Blocks() []cdf.Block                     { return []cdf.Block{m} }
func (m *toy) AppendBinary(b []byte) ([]byte, error)   { return b, nil }
func (m *toy) UnmarshalBinary([]byte) error            { return nil }
func (m *toy) mean() float64                           { return m.sum / (m.n + 1) }
func (m *toy) sd() float64                             { return 1 / math.Sqrt(m.n+1) }
func (m *toy) PriorSD(_ []cdf.Functional, d []float64) { d[0] = 1 }

func (m *toy) Check(sh *cdf.Shard) error {
	if sum := 0.; m.refuse {
		for _, y := range sh.Y {
			sum += y
		}
		if sum > float64(sh.Rows) {
			return errors.New("planted")
		}
	}
	return nil
}

func (m *toy) Absorb(s *cdf.Step) {
	for _, y := range s.Shard.Y {
		m.n++
		m.sum += y
	}
}

func (m *toy) Sample(s *cdf.Step) error {
	e := s.RNG.NormFloat64()
	x := s.Draws.Row(0)
	for i := range x {
		x[i] = m.mean() + m.sd()*(m.shift+m.scale*e)
		e = m.correlation*e + math.Sqrt(1-m.correlation*m.correlation)*s.RNG.NormFloat64()
	}
	return nil
}

func (m *toy) Summarize(_ []cdf.Functional, rows []cdf.Row) error {
	r, sd := &rows[0], m.published*m.sd()
	r.Mean, r.SD, r.Median = m.mean(), sd, m.mean()
	r.Q25, r.Q75 = r.Mean-.6744898*sd, r.Mean+.6744898*sd
	r.Q05, r.Q95 = r.Mean-1.6448536*sd, r.Mean+1.6448536*sd
	r.Q025, r.Q975 = r.Mean-1.9599640*sd, r.Mean+1.9599640*sd
	return nil
}

// chained is a toy whose draws are a chain's.
type chained struct{ *toy }

func (chained) Chains() int { return 1 }

func toyKind(f faults) *kind.Kind {
	return &kind.Kind{Name: "toy", Variants: []string{"corrected"},
		Configure: func(string, func(any) error) (any, kind.Build, error) {
			return f, func(cdf.Dims) (cdf.Model, error) {
				if f.correlation > 0 {
					return chained{&toy{faults: f}}, nil
				}
				return &toy{faults: f}, nil
			}, nil
		}}
}

func toyStudy() *study {
	return &study{
		kind: "toy", name: "toy", draws: ranked, replicates: 500,
		simulate: func(r *rand.Rand) experiment {
			mu := r.NormFloat64()
			y := normals(r, 6)
			for i := range y {
				y[i] += mu
			}
			data := simulate.Data{Names: []string{"y"}, Columns: [][]float64{y}}
			return experiment{
				truth:  []simulate.Truth{{Variable: "mu", Value: mu}},
				shards: data.Cut(3),
			}
		},
	}
}
