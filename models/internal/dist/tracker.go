package dist

import "math"

// Tracker follows the central 95 % interval of a mixture from row to row.
// Laws of neighbouring rows are nearly alike once they are centred and scaled:
// where one's quantile was, Newton's method finds the next one's in a step or
// two.
type Tracker struct {
	known int           // rows so far
	z     [2][2]float64 // of the last two rows, newest first: both quantiles from the centre, in widths
}

// Central95 returns the .025 and the .975 quantile of the next row's law.
func (u *Tracker) Central95(x *Mixture) (low, high float64) {
	center, width := x.Place()
	q := [2]float64{Levels[0], Levels[6]}
	var z [2]float64
	for i, p := range q {
		switch u.known {
		case 0:
			q[i] = x.Quantile(p)
		case 1:
			q[i] = x.Near(p, center+u.z[0][i]*width, width)
		default:
			q[i] = x.Near(p, center+(2*u.z[0][i]-u.z[1][i])*width, width)
		}
		z[i] = (q[i] - center) / width
	}
	u.z[1], u.z[0] = u.z[0], z
	u.known++
	return q[0], q[1]
}

// Place returns the means of the components' places and of their scales.
func (x *Mixture) Place() (center, width float64) {
	total := 0.0
	for k, w := range x.w {
		center += w * x.loc[k]
		width += w * x.scale[k]
		total += w
	}
	return center / total, width / total
}

// Near is quantile from a point that is close to it. A step of Newton's method
// squares the error in widths: after one below 1e-5 it is about 1e-10. Where the
// point was not close it is quantile.
func (x *Mixture) Near(p, at, width float64) float64 {
	for range 4 {
		below, density, _ := x.at(at)
		step := (below - p) / density
		at -= step
		if math.Abs(step) < 1e-5*width {
			return at
		}
	}
	return x.Quantile(p)
}
