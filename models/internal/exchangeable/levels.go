// Package exchangeable is the prior of coefficients that compare levels of a factor with its baseline:
//
//	beta_j = zeta_j - zeta_0,  zeta ~ N(0, v I):  beta ~ N(0, v (I + 1 1'))
//
// so that the levels, the baseline among them, are alike before the rows say something. Coefficients of m levels that are
// independent say of the baseline that it is at the mean of the others, to sd (v/m)^(1/2).
//
// Of the covariance V = U U' here U is upper triangular: a triangular factor times U is one. With t = m - 1 - j levels behind
// level j, counted from 0,
//
//	U_jj = ((t+2)/(t+1))^(1/2),  U_ij = ((t+1)(t+2))^(-1/2) for i < j
package exchangeable

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Levels are the coefficients of factors, runs that do not overlap. All numbers here are in units of the prior's sd of a level,
// and coefficients that are no levels stay as they are.
type Levels []cdf.Siblings

// root returns U_jj and U_ij of a level with so many behind it.
func root(behind int) (diagonal, above float64) {
	t := float64(behind)
	return math.Sqrt((t + 2) / (t + 1)), 1 / math.Sqrt((t+1)*(t+2))
}

// Columns multiplies p columns of the packed upper triangular r, of order p+1, by U from the right; work has room for p.
func (l Levels) Columns(p int, r, work []float64) {
	for _, s := range l {
		before := work[:p] // of each row, the levels before
		clear(before)
		for j := s.First; j < s.First+s.Columns; j++ {
			diagonal, above := root(s.First + s.Columns - 1 - j)
			for i := range j + 1 {
				at := &r[lin.PackedRow(p+1, i)+j-i]
				v := *at
				*at = float64(diagonal*v) + float64(above*before[i])
				before[i] += v
			}
		}
	}
}

// Rows multiplies the p x p matrix m, row-major, by U from the left; work has room for p.
func (l Levels) Rows(p int, m, work []float64) {
	for _, s := range l {
		behind := work[:p]
		clear(behind)
		for t := range s.Columns {
			diagonal, above := root(t)
			row := lin.Row(m, p, s.First+s.Columns-1-t)
			for k, v := range row {
				row[k] = float64(diagonal*v) + behind[k]
				behind[k] += float64(above * v)
			}
		}
	}
}

// Times multiplies v by U.
func (l Levels) Times(v []float64) {
	for _, s := range l {
		behind := 0.
		for t := range s.Columns {
			diagonal, above := root(t)
			at := &v[s.First+s.Columns-1-t]
			*at, behind = float64(diagonal**at)+behind, behind+float64(above**at)
		}
	}
}

// Solve multiplies v by the inverse of U.
func (l Levels) Solve(v []float64) {
	for _, s := range l {
		behind := 0.
		for t := range s.Columns {
			diagonal, above := root(t)
			at := &v[s.First+s.Columns-1-t]
			*at = (*at - behind) / diagonal
			behind += float64(above * *at)
		}
	}
}

// Precision multiplies v by the inverse of V, which is I - 1 1'/(m+1) of m levels.
func (l Levels) Precision(v []float64) {
	for _, s := range l {
		of := v[s.First : s.First+s.Columns]
		off := sum(of) / float64(s.Columns+1)
		for j := range of {
			of[j] -= off
		}
	}
}

// Excess returns by how much v'v exceeds v'V^{-1}v.
func (l Levels) Excess(v []float64) (excess float64) {
	for _, s := range l {
		total := sum(v[s.First : s.First+s.Columns])
		excess += total * total / float64(s.Columns+1)
	}
	return excess
}

// AddPrecision adds what the inverse of V has besides I, times scale, to the lower triangle of the p x p matrix m.
func (l Levels) AddPrecision(p int, scale float64, m []float64) {
	for _, s := range l {
		v := scale / float64(s.Columns+1)
		for i := s.First; i < s.First+s.Columns; i++ {
			for j := s.First; j <= i; j++ {
				m[i*p+j] -= v
			}
		}
	}
}

// AddVariance adds what V has besides I, times scale, to the p x p matrix m.
func (l Levels) AddVariance(p int, scale float64, m []float64) {
	for _, s := range l {
		for i := s.First; i < s.First+s.Columns; i++ {
			for j := s.First; j < s.First+s.Columns; j++ {
				m[i*p+j] += scale
			}
		}
	}
}

// Shared returns the variance of the functional with the weights w of param that is the baselines', (1'w)^2 of each factor.
func (l Levels) Shared(param []int, w []float64) (variance float64) {
	for _, s := range l {
		total := 0.
		for k, j := range param {
			if j >= s.First && j < s.First+s.Columns {
				total += w[k]
			}
		}
		variance += total * total
	}
	return variance
}

func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}
