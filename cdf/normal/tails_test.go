package normal

import (
	"math"
	"testing"
)

// The series against the functions themselves, between its points and at them.
func TestSeries(t *testing.T) {
	var x []float64
	for v := -8.0; v < 8; v += 1.0 / 700 {
		x = append(x, v)
	}
	for i := -255; i <= 255; i++ {
		x = append(x, float64(i)/64*2, math.Nextafter(float64(i)/64, 40))
	}
	worst := [3]float64{}
	w, mean, inv := []float64{1, 0, 0, 0}, make([]float64, group), []float64{1, 0, 0, 0}
	for _, v := range x {
		p, density := Mixed(w, mean, inv, v)
		apart := math.Abs(p - CDF(v))
		worst[0] = max(worst[0], apart)
		if v < 0 {
			worst[1] = max(worst[1], apart/CDF(v))
		}
		worst[2] = max(worst[2], math.Abs(density[0]/(math.Exp(-0.5*v*v)/math.Sqrt(2*math.Pi))-1))
	}
	if worst[0] > 2.3e-16 || worst[1] > 3e-12 || worst[2] > 2e-10 {
		t.Errorf("worst: of Phi %.2g, relative to it below 0 %.2g, of the density %.2g", worst[0], worst[1], worst[2])
	}
}
