package simulate

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// compressed returns the six designs of the compressed regression experiment
// (arXiv:1401.3632, section 4.2): 100 rows a shard, noise variance 4, normal
// predictors of variance 1 whose correlation is rho^|i-j|. The coefficients
// that are not 0 are uniform on (-3, 3), which the paper calls a high signal,
// or all .10, a low one. It has 500 shards and m = max(10, log p), which is 10
// for both numbers of columns. Which columns have the coefficients is not said:
// here the first ones.
func compressed() []Scenario {
	var out []Scenario
	for i, d := range []design{
		{p: 500, rho: .1, nonzero: 10, reach: 3},
		{p: 1000, rho: .1, nonzero: 10, reach: 3},
		{p: 500, rho: .4, nonzero: 10, reach: 3},
		{p: 1000, rho: .4, nonzero: 10, reach: 3},
		{p: 500, rho: .1, nonzero: 500, reach: 3},
		{p: 500, rho: .1, nonzero: 500, level: .1},
	} {
		out = append(out, d.scenario("compressed-"+strconv.Itoa(i+1)))
	}
	return out
}

// design is a regression on many columns.
type design struct {
	p       int
	rho     float64 // correlation of neighbouring predictors
	nonzero int     // coefficients that are not 0, the first ones
	reach   float64 // they are uniform on (-reach, reach)
	level   float64 // where reach is 0: what each of them is
}

const compressedSigma2 = 4

// coefficients are a function of the seed and the key.
func (d design) coefficients(seed uint64, key string) []float64 {
	r, g := source(seed, key, 0), make([]float64, d.p)
	for j := range d.nonzero {
		g[j] = d.level + float64(d.reach*(2*r.Float64()-1))
	}
	return g
}

func (d design) scenario(name string) Scenario {
	return Scenario{
		Name: name, Kind: "compressed", Rows: 100,
		Shard: func(seed uint64, key string, t int64, rows int) Data {
			return d.shard(source(seed, key, t), d.coefficients(seed, key), rows)
		},
		Truth: func(seed uint64, key string, _ int64) []Truth {
			return append(appendTruths(nil, "gamma", "x", d.coefficients(seed, key)), Truth{"sigma2", compressedSigma2})
		},
	}
}

func (d design) shard(r *rand.Rand, g []float64, rows int) Data {
	out, y := features(d.p, rows), make([]float64, rows)
	own := math.Sqrt(1 - d.rho*d.rho)
	for i := range y {
		x := r.NormFloat64()
		for j := range d.p {
			if j > 0 {
				x = float64(d.rho*x) + float64(own*r.NormFloat64())
			}
			out.Columns[j][i] = x
			y[i] += float64(x * g[j])
		}
		y[i] += float64(math.Sqrt(compressedSigma2) * r.NormFloat64())
	}
	return out.with(y)
}
