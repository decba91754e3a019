package events

import "testing"

// A number beyond all times is the first or the last of them, on every processor.
func TestTimesBeyondAllTimes(t *testing.T) {
	for v, want := range map[float64]float64{1e300: 9.2e12, -1e300: -9.2e12, 1e22: 9.2e12, 1.7e18: 1.7e9} {
		if got := sinceEpoch(v); got != want {
			t.Errorf("%g is %g s, want %g", v, got, want)
		}
	}
}
