package normal

import "math"

// The hazard u = phi/Phi is tabulated at even points with the coefficients of its Taylor
// series, as the tail is. At half a step from a point the series is exact to 2e-14.
const (
	hazardPerUnit = 16
	hazardTerms   = 7
)

var hazards = newHazards()

func newHazards() *[2*Furthest*hazardPerUnit + 1][hazardTerms]float64 {
	t := new([2*Furthest*hazardPerUnit + 1][hazardTerms]float64)
	for i := range t {
		x, c := float64(i)/hazardPerUnit-Furthest, &t[i]
		c[0], _ = Hazard(x)
		// From u' = -u^2 - x u.
		for k := range hazardTerms - 1 {
			v := float64(x * c[k])
			if k > 0 {
				v += c[k-1]
			}
			for j := range k + 1 {
				v += float64(c[j] * c[k-j])
			}
			c[k+1] = -v / float64(k+1)
		}
	}
	return t
}

// SumHazard returns the sums of u and w over all x; see [Hazard]. It takes a tenth of
// its time.
func SumHazard(x []float64) (u, w float64) {
	for _, v := range x {
		if !(v > -Furthest && v < Furthest) {
			ui, wi := Hazard(v)
			u += ui
			w += wi
			continue
		}
		at := int(float64((v+Furthest)*hazardPerUnit) + 0.5)
		c := &hazards[at]
		d := v - (float64(at)*(1.0/hazardPerUnit) - Furthest)
		d2 := d * d
		ui := float64((float64((float64(c[6]*d2)+c[4])*d2)+c[2])*d2) + c[0]
		ui += float64((float64((float64(c[5]*d2)+c[3])*d2) + c[1]) * d)
		u += ui
		w += float64(ui * (ui + v))
	}
	return u, w
}

// SumCDF returns the sum of Phi over all x. It takes a fifth of CDF's time.
func SumCDF(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		a := math.Abs(v)
		if !(a < Furthest) {
			sum += CDF(v)
			continue
		}
		at := int(float64(a*perUnit) + 0.5)
		c := &tails[at]
		d := a - float64(at)*(1.0/perUnit)
		d2 := d * d
		q := float64((float64((float64(c[6]*d2)+c[4])*d2)+c[2])*d2) + c[0]
		q += float64((float64((float64((float64(c[7]*d2)+c[5])*d2)+c[3])*d2) + c[1]) * d)
		if v > 0 {
			q = 1 - q
		}
		sum += q
	}
	return sum
}
