package study

import (
	"slices"
	"testing"
)

// Draws are kept of the first replication alone, with a reference or without,
// and do not change any figure.
func TestDrawsAreKept(t *testing.T) {
	o := Options{Seed: 3, Reps: 2, Shards: 60, Methods: []string{"cdf", "cdf-paper"}}
	e, _ := Lookup("linear")
	run := func(keep bool) (*Job, []Result) {
		o.Keep = keep
		j, err := e.Prepare(o)
		if err != nil {
			t.Fatal(err)
		}
		return j, ran(t, j)
	}
	bare, want := run(false)
	if n := len(bare.Drawn()); n != 0 {
		t.Errorf("%d posteriors that nobody asked for", n)
	}
	j, got := run(true)
	if !same(got, want) {
		t.Errorf("with draws\n%v\nwithout\n%v", got, want)
	}
	var names []string
	for _, d := range j.Drawn()[:3] {
		names = append(names, d.Variable)
	}
	if !slices.Equal(names, []string{"beta[x1]", "beta[x4]", "sigma2"}) {
		t.Errorf("draws of %v", names)
	}
	if n := len(j.Drawn()); n != 2*2*3 {
		t.Fatalf("%d posteriors, want 3 of 2 methods at 2 shards", n)
	}
	for i, d := range j.Drawn() {
		wantMethod, wantT := o.Methods[i/6], []int64{50, 60}[i/3%2]
		if d.Method != wantMethod || d.T != wantT || len(d.Draws) < manyDraws {
			t.Errorf("posterior %d is of %s at %d, %d draws", i, d.Method, d.T, len(d.Draws))
		}
		if d.Variable == "sigma2" && d.Truth != 25 {
			t.Errorf("sigma2 is %v, want 25", d.Truth)
		}
	}
}
