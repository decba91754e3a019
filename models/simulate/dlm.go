package simulate

import (
	"math"
	"math/rand/v2"
)

// LocalLevel is a first-order autoregressive level seen with noise:
//
//	y_s = theta_s + sigma e_s,  theta_s = phi(s) theta_{s-1} + tau w_s
type LocalLevel struct {
	Phi        func(step int64) float64
	Tau, Sigma float64
}

// PaperLevel is the paper's series (arXiv:1401.3632, section 3.3.1), with the
// phi that it does not give at .7.
func PaperLevel() LocalLevel {
	return LocalLevel{Phi: func(int64) float64 { return 0.7 }, Tau: math.Sqrt2, Sigma: 0.1}
}

// driftingLevel has a phi that falls from .9 to .2 after step 1,500, for
// forgetting factors.
func driftingLevel() LocalLevel {
	return LocalLevel{Tau: 1, Sigma: 0.5, Phi: func(step int64) float64 {
		if step > 1500 {
			return 0.2
		}
		return 0.9
	}}
}

// memory is the number of earlier innovations that a level is summed from: at
// phi = .9 those before have a weight of 1e-18.
const memory = 400

// Series returns n observations and levels of a key from the given step on,
// from 1. The level is stationary before step 1.
func (l LocalLevel) Series(seed uint64, key string, first int64, n int) (y, theta []float64) {
	x := 0.0
	pcg := rand.NewPCG(0, 0)
	r := rand.New(pcg)
	at := newPlace(seed, key)
	for step := first - memory; step < first+int64(n); step++ {
		pcg.Seed(at.seeds(step))
		x = float64(l.Phi(step)*x) + float64(l.Tau*r.NormFloat64())
		if e := r.NormFloat64(); step >= first {
			y, theta = append(y, x+float64(l.Sigma*e)), append(theta, x)
		}
	}
	return y, theta
}

// dlm is the paper's series of 3,000 steps, one a row.
func dlm() Scenario { return level("dlm", PaperLevel()) }

func dlmDrift() Scenario { return level("dlm-drift", driftingLevel()) }

func level(name string, l LocalLevel) Scenario {
	const rows = 10
	return Scenario{
		Name: name, Kind: "dlm", Rows: rows,
		Shard: func(seed uint64, key string, t int64, rows int) Data {
			y, _ := l.Series(seed, key, (t-1)*int64(rows)+1, rows)
			return Data{Names: []string{"y"}, Columns: [][]float64{y}}
		},
		// phi is that of the shard's last step at the scenario's own rows.
		Truth: func(_ uint64, _ string, t int64) []Truth {
			return []Truth{{"phi", l.Phi(t * rows)}, {"tau2", l.Tau * l.Tau}, {"sigma2", l.Sigma * l.Sigma}}
		},
	}
}
