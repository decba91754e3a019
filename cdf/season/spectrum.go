package season

import (
	"math"
	"slices"
	"sync"
)

// spectrum is room for the periodogram.
type spectrum struct {
	re, im []float64
	beside []float64
}

// line returns the period of the strongest line of the periodogram that exceeds the limit, 0 where there is none. Of a season whose
// shape is no sine it is that whose multiples of frequency the others are.
func (s *spectrum) line(scores []int8, limit float64) float64 {
	n, squares, observed := len(scores), 0.0, 0
	for _, v := range scores {
		if v != 0 {
			observed++
			squares += float64(v) * float64(v)
		}
	}
	if observed < least {
		return 0
	}
	points := 2 // twice as many as scores, at least: a line between two frequencies is one, too
	for points < 2*n {
		points *= 2
	}
	s.transform(scores, points)
	power := s.re[:points/2]
	for k := range power {
		power[k] = (float64(s.re[k]*s.re[k]) + float64(s.im[k]*s.im[k])) / squares
	}
	at, most := 0, limit
	for k := fewest * points / n; k <= int(float64(points)/shortest); k++ {
		if power[k] > most {
			if v := power[k] / max(s.around(power, k, points/n), 1); v > most {
				at, most = k, v
			}
		}
	}
	if at == 0 {
		return 0
	}
	return float64(points) / s.fundamental(power, at, float64(fewest*points)/float64(n))
}

// The ordinates that a period longer than that of the strongest line has to add: each tells by what it exceeds twice
// what the greatest of three neighbours is on average, and all together by as much as no chance among ten periods.
const (
	expected = 3.5
	surely   = 8.
	parts    = 12
)

// fundamental returns the frequency, least or more, whose multiples the line at and the others are: of a season that is a spike lines are
// alike, and the strongest may be any.
func (s *spectrum) fundamental(power []float64, at int, lowest float64) float64 {
	told := func(f float64) (sum float64) {
		for j := 1.; j*f <= float64(2*len(power))/shortest; j++ {
			k := min(int(math.Round(j*f)), len(power)-2)
			sum += max(power[k-1], power[k], power[k+1]) - expected
		}
		return sum
	}
	best, most := float64(at), told(float64(at))+surely
	for part := 2.; part <= parts; part++ {
		if f := float64(at) / part; f >= lowest && told(f) > most {
			best, most = f, told(f)
		}
	}
	return best
}

// around is the median of the ordinates beside k, 1 where they are exponential; apart is how many
// points apart two frequencies are independent.
func (s *spectrum) around(power []float64, k, apart int) float64 {
	s.beside = s.beside[:0]
	for j := 3; j <= 16; j++ {
		for _, k := range [...]int{k - j*apart, k + j*apart} {
			if k > 0 && k < len(power) {
				s.beside = append(s.beside, power[k])
			}
		}
	}
	slices.Sort(s.beside)
	return s.beside[len(s.beside)/2] / math.Ln2
}

// turns are, from half on, cos and sin of the half angles pi k / half, for each power of 2 up to Window.
var turns = sync.OnceValue(func() *[2 * Window][2]float64 {
	t := new([2 * Window][2]float64)
	for half := 1; half <= Window; half *= 2 {
		for k := range half {
			sin, cos := math.Sincos(math.Pi * float64(k*(Window/half)) / Window)
			t[half+k] = [2]float64{cos, sin}
		}
	}
	return t
})

// transform is the discrete Fourier transform of the scores and at least as many zeros after them, of a power of
// 2 of points up to 2 Window (Cooley and Tukey 1965).
func (s *spectrum) transform(scores []int8, points int) {
	s.re, s.im = slices.Grow(s.re[:0], points)[:points], slices.Grow(s.im[:0], points)[:points]
	re, im := s.re, s.im
	clear(re)
	clear(im)
	to := 0
	for _, v := range scores {
		re[to], re[to+1] = float64(v), float64(v) // the first pass, which brings it together with one of the zeros
		bit := points / 2
		for ; bit > 0 && to&bit != 0; bit /= 2 {
			to ^= bit
		}
		to |= bit
	}
	for half := 2; half < points; half *= 2 {
		turns := turns()[half : 2*half]
		for lo := 0; lo < points; lo += 2 * half {
			re1, re2, im1, im2 := re[lo:][:half], re[lo+half:][:half], im[lo:][:half], im[lo+half:][:half]
			for k, turn := range turns {
				c, w, a, b := turn[0], turn[1], re2[k], im2[k]
				x := float64(c*a) + float64(w*b)
				y := float64(c*b) - float64(w*a)
				a, b = re1[k], im1[k]
				re1[k], re2[k] = a+x, a-x
				im1[k], im2[k] = b+y, b-y
			}
		}
	}
}
