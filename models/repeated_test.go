package models

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// repeatedAt returns after which shards repeated_shards is up.
func repeatedAt(t *testing.T, spec *cdf.Spec, shards []*cdf.Batch) (up []int) {
	t.Helper()
	f := cdf.NewFilter(spec, "k")
	for i, b := range shards {
		sum, err := f.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(sum.Flags, "repeated_shards") {
			up = append(up, i+1)
		}
	}
	return up
}

// drawShards returns n shards of ordinary rows, changed.
func drawShards(s stream, seed uint64, n, rows int, change func(shard int, d *dataset, r *rand.Rand)) []*cdf.Batch {
	r := rand.New(rand.NewPCG(seed, 80))
	all := make([]*cdf.Batch, n)
	for i := range all {
		all[i] = s.shard(r, rows)
		if change != nil {
			change(i, datasetOf(all[i]), r)
		}
	}
	return all
}

// panel makes the columns of a shard those of every other: its rows are the same machines, whose responses
// their columns tell but for noise.
func panel(sd, unit float64) func(int, *dataset, *rand.Rand) {
	return func(_ int, d *dataset, r *rand.Rand) {
		n := len(d.y)
		for i := range d.y {
			eta := 0.
			for j := range d.x {
				d.x[j][i] = math.Sin(float64(1 + i + n*j))
				eta += d.x[j][i]
			}
			d.y[i] = math.Round((eta+sd*r.NormFloat64())/unit) * unit
		}
	}
}

// Shards that are no repeats raise nothing, however alike they are: responses that are rounded, rare, the same in all
// rows or for days, of the same machines every time, or come one by one.
func TestNoRepeats(t *testing.T) {
	rounded := func(unit float64) func(int, *dataset, *rand.Rand) {
		return func(_ int, d *dataset, _ *rand.Rand) {
			for i := range d.y {
				d.y[i] = math.Round(d.y[i]/unit) * unit
			}
		}
	}
	constant := func(_ int, d *dataset, _ *rand.Rand) { fill(d.y, 20.5) }
	// hours are of a sensor that is idle in all but every fifth shard, and then measures in some hours.
	hours := func(shard int, d *dataset, r *rand.Rand) {
		for i := range d.y {
			for j := range d.x {
				d.x[j][i] = math.Cos(float64(i%24) * float64(j+1) * math.Pi / 12)
			}
			if d.y[i] = 0; shard%5 == 4 && i%24 < 3 {
				d.y[i] = math.Round(10 * r.ExpFloat64())
			}
		}
	}
	classes := func(p float64) func(int, *dataset, *rand.Rand) {
		return func(_ int, d *dataset, r *rand.Rand) {
			for i := range d.y {
				if d.y[i] = 0; r.Float64() < p {
					d.y[i] = 1
				}
			}
		}
	}
	known := func(shard int, d *dataset, r *rand.Rand) {
		panel(0, 1)(shard, d, r)
		for i := range d.y {
			if d.y[i] = 0; d.x[0][i]+.02*r.NormFloat64() > 0 {
				d.y[i] = 1
			}
		}
	}
	counts := func(rate float64) func(int, *dataset, *rand.Rand) {
		return func(_ int, d *dataset, r *rand.Rand) {
			for i := range d.y {
				d.y[i] = 0
				for at := r.ExpFloat64(); at < rate; at += r.ExpFloat64() {
					d.y[i]++
				}
			}
		}
	}
	for _, c := range []struct {
		name, kind   string
		shards, rows int
		change       func(int, *dataset, *rand.Rand)
	}{
		{"continuous", "linear", 300, 30, nil},
		{"a decimal", "linear", 300, 30, rounded(.1)},
		{"a decimal, nine rows", "linear", 500, 9, rounded(.1)},
		{"units, five rows", "linear", 1000, 5, rounded(1)},
		{"one row", "linear", 1000, 1, nil},
		{"constant", "linear", 100, 50, constant},
		{"idle for days", "linear", 300, 24, hours},
		{"idle for days, 1,440 rows", "linear", 40, 1440, hours},
		{"the same machines, continuous", "linear", 100, 20, panel(.03, 1e-9)},
		{"the same machines, a decimal", "linear", 300, 20, panel(.02, .1)},
		{"groups", "anova", 100, 30, nil},
		{"groups, a decimal", "anova", 100, 30, rounded(.1)},
		{"groups, idle for days", "anova", 100, 24, hours},
		{"steps", "dlm", 40, 30, nil},
		{"steps, a decimal", "dlm", 40, 30, rounded(.1)},
		{"steps, idle for days", "dlm", 40, 24, hours},
		{"columns", "compressed", 60, 30, nil},
		{"columns, a decimal", "compressed", 60, 30, rounded(.1)},
		{"columns, idle for days", "compressed", 60, 24, hours},
		{"classes", "probit", 60, 30, nil},
		{"classes of 100 rows", "probit", 30, 100, nil},
		{"rare class", "probit", 60, 100, classes(.01)},
		{"one class", "probit", 30, 60, classes(0)},
		{"the same machines, classes", "probit", 60, 60, known},
		{"counts", "poisson", 60, 30, nil},
		{"rare counts", "poisson", 60, 100, counts(.02)},
		{"small counts", "poisson", 60, 12, counts(.5)},
		{"no counts", "poisson", 30, 60, counts(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k, _ := Lookup(c.kind)
			s := streamOf(k)
			if up := repeatedAt(t, s.spec(t, ""), drawShards(s, 1, c.shards, c.rows, c.change)); len(up) > 0 {
				t.Errorf("up after shards %v", up)
			}
		})
	}
}

// Shards that all come twice are told of, of every kind and soon.
func TestEveryKindTellsOfRepeats(t *testing.T) {
	for _, c := range []struct {
		kind         string
		shards, rows int
		by           int // shard
	}{
		{"linear", 30, 30, 2}, {"linear", 30, 5, 8}, {"anova", 30, 30, 2}, {"dlm", 20, 30, 2}, {"compressed", 30, 30, 2}, {"poisson", 20, 60, 6}, {"probit", 10, 60, 6}, {"probit", 20, 20, 10},
	} {
		k, _ := Lookup(c.kind)
		s := streamOf(k)
		for behind := 1; behind <= 3; behind++ {
			var twice []*cdf.Batch
			all := drawShards(s, 2, c.shards, c.rows, nil)
			for i := range all {
				if twice = append(twice, all[i]); i >= behind-1 {
					twice = append(twice, all[i-behind+1])
				}
			}
			up := repeatedAt(t, s.spec(t, ""), twice)
			if first := len(twice) - len(up) + 1; len(up) == 0 || up[0] != first || first > c.by+2*behind {
				t.Errorf("%s, %d rows, %d behind: up after shards %v of %d", c.kind, c.rows, behind, up, len(twice))
			}
		}
	}
}

// A file that is sent again is told of while that happens, and until as much has come that is new; a shard of 100 is not, and
// one of the first ten is until it is one of twenty.
func TestRepeatsThatPass(t *testing.T) {
	k, _ := Lookup("linear")
	s := streamOf(k)
	spec := s.spec(t, "")
	for _, n := range []int{50, 500} {
		all := drawShards(s, 3, 31*n, 20, nil)
		up := repeatedAt(t, spec, slices.Concat(all[:n], all[:n], all[n:]))
		t.Logf("a file of %d shards sent twice: up after shards %d to %d", n, up[0], up[len(up)-1])
		if up[0] <= n || up[0] > 3*n/2 || up[len(up)-1] < 15*n || up[len(up)-1] > 28*n || len(up) != up[len(up)-1]-up[0]+1 {
			t.Errorf("a file of %d shards sent twice: up after %d shards, %d to %d", n, len(up), up[0], up[len(up)-1])
		}
	}
	all := drawShards(s, 4, 100, 20, nil)
	if up := repeatedAt(t, spec, slices.Concat(all[:60], all[59:])); len(up) > 0 {
		t.Errorf("one of 100: up after %v", up)
	}
	if up := repeatedAt(t, spec, slices.Concat(all[:8], all[7:])); len(up) != 12 || up[0] != 9 || up[11] != 20 {
		t.Errorf("one of the first: up after %v", up)
	}
}
