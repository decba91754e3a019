package main

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ridge is regression on all columns with a level that is not shrunk and the
// prior variance of the standardised coefficients at the maximum of the
// evidence, from all rows at once.
type ridge struct {
	mean, sd   []float64 // of the columns
	level      float64
	v          *mat.Dense // right singular vectors, p×k
	d, uy      []float64
	prior      float64 // variance of a coefficient over sigma2
	shape      float64 // of the law of sigma2
	rate, rows float64
}

// kappaMost is the greatest log of the prior variance over sigma2 that the
// model considers.
const kappaMost = 16

// ofSketch is how far, of an interval's width, 50 directions may be from all 100.
const ofSketch = .11

func newRidge(t *testing.T, x [][]float64, y []float64, scale float64) *ridge {
	t.Helper()
	n, p := len(y), len(x[0])
	r := &ridge{mean: make([]float64, p), sd: make([]float64, p), rows: float64(n)}
	z := mat.NewDense(n, p, nil)
	for j := range p {
		column := make([]float64, n)
		for i := range x {
			column[i] = x[i][j]
		}
		r.mean[j], r.sd[j] = moments(column)
		for i := range x {
			z.Set(i, j, (column[i]-r.mean[j])/r.sd[j])
		}
	}
	r.level, _ = moments(y)
	centred := mat.NewVecDense(n, nil)
	squares := 0.
	for i, v := range y {
		centred.SetVec(i, v-r.level)
		squares += (v - r.level) * (v - r.level)
	}
	var svd mat.SVD
	if !svd.Factorize(z, mat.SVDThin) {
		t.Fatal("no singular values")
	}
	var u mat.Dense
	r.v = new(mat.Dense)
	svd.UTo(&u)
	svd.VTo(r.v)
	r.d = svd.Values(nil)
	var uy mat.VecDense
	uy.MulVec(u.T(), centred)
	r.uy = uy.RawVector().Data
	r.shape = 1 + r.rows/2
	best := math.Inf(-1)
	for _, l := range even(-16, kappaMost, 8000) {
		v, rate, logs := math.Exp(l), scale*scale+squares/2, 0.
		for k, d := range r.d {
			rate -= r.uy[k] * r.uy[k] * v * d * d / (1 + v*d*d) / 2
			logs += math.Log1p(v * d * d)
		}
		if e := -logs/2 - r.shape*math.Log(rate); e > best {
			best, r.prior, r.rate = e, v, rate
		}
	}
	return r
}

// along returns mean and variance over sigma2 of w'gamma, w in units of the columns.
func (r *ridge) along(w []float64) (mean, variance float64) {
	left := 0.
	scaled := make([]float64, len(w))
	for j := range w {
		scaled[j] = w[j] / r.sd[j]
		left += scaled[j] * scaled[j]
	}
	for k, d := range r.d {
		a := 0.
		for j := range scaled {
			a += scaled[j] * r.v.At(j, k)
		}
		h := r.prior / (1 + r.prior*d*d)
		mean += a * d * h * r.uy[k]
		variance += a * a * h
		left -= a * a
	}
	return mean, variance + max(left, 0)*r.prior
}

// t975 is the 97.5 % quantile of the t law that integrating sigma2 out leaves.
func (r *ridge) t975() float64 { return distuv.StudentsT{Sigma: 1, Nu: 2 * r.shape}.Quantile(.975) }

// meatReference fits the ridge regression to all samples, and to those before
// each shard to predict it.
func meatReference(t *testing.T, data *rows) map[string]reference {
	fat := data.number("fat")
	x := make([][]float64, len(fat))
	for _, name := range data.names[1:] {
		for i, v := range data.number(name) {
			x[i] = append(x[i], v)
		}
	}
	_, scale := moments(fat[:50]) // in whose square the prior of sigma2 acts
	squares, inside, n := 0., 0., 0.
	for from := meatLearnt; from < len(fat); from += 10 {
		r := newRidge(t, x[:from], fat[:from], scale)
		for i := from; i < min(from+10, len(fat)); i++ {
			w := make([]float64, len(x[i]))
			for j := range w {
				w[j] = x[i][j] - r.mean[j]
			}
			m, v := r.along(w)
			miss := math.Abs(fat[i] - r.level - m)
			if miss < r.t975()*math.Sqrt(r.rate/r.shape*(1+1/r.rows+v)) {
				inside++
			}
			squares += miss * miss
			n++
		}
	}
	r := newRidge(t, x, fat, scale)
	noise := distuv.Gamma{Alpha: r.shape, Beta: r.rate}
	sd := func(p float64) float64 { return 1 / math.Sqrt(noise.Quantile(1-p)) }
	out := map[string]reference{
		"error of prediction after 100 samples, rms, % fat":  {median: math.Sqrt(squares / n), share: .03},
		"of these predictions inside their 95 % interval, %": {median: 100 * inside / n, share: .01},
		"noise, sd, % fat": {sd(.5), sd(.025), sd(.975), ofSketch},
	}
	for _, nm := range []int{870, 930, 1020} {
		w := make([]float64, len(x[0]))
		w[(nm-850)/2] = .1
		m, v := r.along(w)
		half := r.t975() * math.Sqrt(r.rate/r.shape*v)
		out["weight at "+itoa(nm)+" nm, % fat per 0.1 absorbance"] = reference{m, m - half, m + half, ofSketch}
	}
	return out
}
