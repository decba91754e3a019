package main

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// flightReference is ordinary least squares, its prediction intervals of each
// flight from the flights of the shards before, and the mode of the probit model
// with the normal law of the curvature there. The prior counts in the first
// predictions, and all but 500 rows have left the window of the probit model.
func flightReference(t *testing.T, data *rows) map[string]reference {
	distance, hour, delay := data.number("distance"), data.number("hour"), data.number("delay")
	var x [][]float64
	var design []*mat.VecDense
	var late []float64
	centres, scales := [2]float64{}, [2]float64{}
	centres[0], scales[0] = moments(distance[:50]) // all of the shards up to the 50th row
	centres[1], scales[1] = moments(hour[:50])
	at := func(miles, hour float64) *mat.VecDense {
		return mat.NewVecDense(3, []float64{1, (miles - centres[0]) / scales[0], (hour - centres[1]) / scales[1]})
	}
	for i, is := range data.text("late") {
		x = append(x, []float64{1, distance[i], hour[i]})
		design = append(design, at(distance[i], hour[i]))
		late = append(late, 0)
		if is == "true" {
			late[i] = 1
		}
	}
	b, cov := leastSquares(t, x, delay)
	half := distuv.StudentsT{Sigma: 1, Nu: float64(len(x) - 3)}.Quantile(.975) * math.Sqrt(cov.At(2, 2))
	var u []float64
	for from := 25; from < len(x); from += 25 {
		past, cov := leastSquares(t, x[:from], delay[:from])
		for i := from; i < min(from+25, len(x)); i++ {
			row := mat.NewVecDense(3, x[i])
			var noise float64
			for k, r := range x[:from] {
				e := delay[k] - mat.Dot(mat.NewVecDense(3, r), past)
				noise += e * e / float64(from-3)
			}
			z := (delay[i] - mat.Dot(row, past)) / math.Sqrt(noise+mat.Inner(row, cov, row))
			u = append(u, distuv.StudentsT{Sigma: 1, Nu: float64(from - 3)}.CDF(z))
		}
	}
	mode, spread := probitMode(t, design, late, []float64{10, 1, 1})
	lateAt := func(hour float64) reference {
		w := at(typical, hour)
		m, sd := mat.Dot(w, mode), math.Sqrt(mat.Inner(w, spread, w))
		return reference{100 * phi(m), 100 * phi(m-z95*sd), 100 * phi(m+z95*sd), .1}
	}
	none := math.NaN()
	return map[string]reference{
		"minutes per hour of the day":              {b.AtVec(2), b.AtVec(2) - half, b.AtVec(2) + half, .02},
		"inside the middle 50 % of predictions, %": {between(u, .25, .75), none, none, .02},
		"above the middle 95 % of predictions, %":  {between(u, .975, 2), none, none, .05},
		"below the middle 95 % of predictions, %":  {between(u, -1, .025), none, none, 1},
		"late at 8 o'clock, %":                     lateAt(8),
		"late at 20 o'clock, %":                    lateAt(20),
	}
}

// The model that does not fit says so, and the other one has nothing to say.
func TestFlightsFlagWhatDoesNotFit(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the programs are other processes, which the race detector does not see")
	}
	r, err := ran["flights"]()
	if err != nil {
		t.Fatal(err)
	}
	flagged := map[string]int{}
	for key, all := range r.keys {
		for _, p := range all {
			if slices.Contains(p.Flags, "miscalibrated") {
				flagged[key]++
			}
		}
	}
	if flags := r.last("minutes").Flags; !slices.Contains(flags, "miscalibrated") || !slices.Contains(flags, "skewed_errors") || flagged["late"] > 0 {
		t.Errorf("shards of %d per key that are flagged as miscalibrated: %v; minutes have %q in the end", r.shards/2, flagged, flags)
	}
}
