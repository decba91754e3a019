package cdftest

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Levels returns the configuration of group means with known variances, by
// Gibbs sampling in two chains that start where the last shard left them:
//
//	y_i | zeta ~ N(zeta_g(i), 1),  zeta_g | mu ~ N(mu, 1),  mu ~ N(0, 1)
//
// Groups are named by the column "g", join when they appear and leave when
// forgetting has emptied them. The one block has C = (n_g, sum y_g). Everything published comes from the draws.
func Levels() *cdf.Spec {
	s := cdf.NewSpec("levels", "gibbs", struct{}{}, func(cdf.Dims) (cdf.Model, error) { return &levels{}, nil })
	s.Columns.Features, s.Columns.Groups = []cdf.Feature{}, []cdf.Group{{Column: "g"}}
	s.Draws = 101
	return s
}

const levelChains = 2

type levels struct {
	n, sum []float64            // per group
	mu     [levelChains]float64 // last draw of each chain
	params [2]cdf.Param
}

func (m *levels) Params() []cdf.Param {
	m.params = [...]cdf.Param{{Name: "mu", Len: 1}, {Name: "zeta", Len: len(m.n)}}
	return m.params[:]
}

func (m *levels) Chains() int { return levelChains }

func (m *levels) Check(sh *cdf.Shard) error {
	for i, y := range sh.Y {
		if math.Abs(y) > 1e100 {
			return fmt.Errorf("%w: %g in row %d is too large", cdf.ErrShard, y, i+1)
		}
	}
	return nil
}

func (m *levels) Blocks() []cdf.Block { return []cdf.Block{m} }

func (m *levels) Absorb(s *cdf.Step) {
	for g := range m.n {
		m.n[g] *= s.Forget
		m.sum[g] *= s.Forget
	}
	for i, y := range s.Shard.Y {
		if math.IsNaN(y) {
			continue
		}
		g := int(s.Shard.Group[0][i])
		for len(m.n) <= g {
			m.n, m.sum = append(m.n, 0), append(m.sum, 0)
		}
		m.n[g]++
		m.sum[g] += y
	}
}

func (m *levels) Retire() (gone []int32) {
	kept := 0
	for g, n := range m.n {
		if n < 1e-6 {
			gone = append(gone, int32(g))
			continue
		}
		m.n[kept], m.sum[kept] = n, m.sum[g]
		kept++
	}
	m.n, m.sum = m.n[:kept], m.sum[:kept]
	return gone
}

func (m *levels) Sample(s *cdf.Step) error {
	k := float64(len(m.n))
	per := s.Draws.S / levelChains
	for c := range m.mu {
		mu := m.mu[c]
		for i := c * per; i < (c+1)*per; i++ {
			total := 0.
			for g := range m.n {
				v := 1 / (m.n[g] + 1)
				zeta := v*(m.sum[g]+mu) + math.Sqrt(v)*s.RNG.NormFloat64()
				s.Draws.Row(1 + g)[i] = zeta
				total += zeta
			}
			mu = total/(k+1) + s.RNG.NormFloat64()/math.Sqrt(k+1)
			s.Draws.Row(0)[i] = mu
		}
		if m.mu[c] = mu; !lin.Finite(mu) {
			return fmt.Errorf("%w: mu is %g", cdf.ErrNumeric, mu)
		}
	}
	return nil
}

func (m *levels) AppendBinary(b []byte) ([]byte, error) {
	for _, list := range [...][]float64{m.mu[:], m.n, m.sum} {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b, nil
}

func (m *levels) UnmarshalBinary(b []byte) error {
	k := len(b)/16 - 1
	if k < 0 || len(b) != 16*(k+1) {
		return fmt.Errorf("%w: levels of %d bytes", cdf.ErrSnapshot, len(b))
	}
	v := make([]float64, 2*(k+1))
	for i := range v {
		if v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])); !lin.Finite(v[i]) {
			return fmt.Errorf("%w: a number is not finite", cdf.ErrSnapshot)
		}
	}
	copy(m.mu[:], v)
	m.n, m.sum = v[2:2+k:2+k], v[2+k:]
	for _, n := range m.n {
		if n < 0 {
			return fmt.Errorf("%w: %g rows", cdf.ErrSnapshot, n)
		}
	}
	return nil
}
