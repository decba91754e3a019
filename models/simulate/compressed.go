package simulate

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// compressed returns the six designs of the compressed regression experiment
// (arXiv:1401.3632): 100 rows a shard, noise variance 4, normal predictors of
// variance 1 whose correlation falls off as rho^|i-j|, coefficients of a given
// squared length. The experiment's own definition was not at hand: what it
// publishes fixes a design no further than the relative error of least
// squares, sigma2 tr(R^-1)/((N-p-1)|gamma|^2), in expectation
//
//	after 100 shards  .0087  .0186  .0122  .0256  .0001  .0421
//	after 200 shards  .0043  .0088  .0059  .0121  .0001  .0205
//
// The first four are near the published errors of the variational competitor,
// .009 .019 .018 .024 and .004 .008 .005 .008, the last near those of the
// filter, .042 and .020. The fifth is not: for the .002 and .001 published, its
// length would have to be about 100. It is the one that the accepted
// ranges of the models were measured with. How the coefficients spread over
// the columns is a choice made here.
func compressed() []Scenario {
	var out []Scenario
	for i, d := range []design{
		{p: 500, nonzero: 10, length: 30},
		{p: 1000, nonzero: 10, length: 30},
		{p: 500, rho: .4, nonzero: 10, length: 30},
		{p: 1000, rho: .4, nonzero: 10, length: 30},
		{p: 500, nonzero: 500, length: 1500, exact: true},
		{p: 500, nonzero: 5, length: 5, exact: true},
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
	length  float64 // expected squared length of the coefficients
	exact   bool    // all of one size and random sign, rather than normal
}

const compressedSigma2 = 4

// coefficients are a function of the seed and the key.
func (d design) coefficients(seed uint64, key string) []float64 {
	r := source(seed, key, 0)
	size := math.Sqrt(d.length / float64(d.nonzero))
	g := make([]float64, d.p)
	for j := range d.nonzero {
		v := r.NormFloat64()
		if d.exact {
			v = math.Copysign(1, v)
		}
		g[j] = float64(size * v)
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
