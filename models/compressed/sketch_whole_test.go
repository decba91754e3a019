package compressed

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// manyRows are columns with factors among them, of which some come late.
func manyRows(r *rand.Rand, rows, p, factors int, load []float64) *cdf.Shard {
	sh := modeltest.RegressionShard(r, rows, p, false)
	for i := range rows {
		for k := range factors {
			lin.Axpy(r.NormFloat64(), load[k*p:][:p], sh.X[i*p:][:p])
		}
	}
	return sh
}

// Shards of many rows are reduced at once where that is not dearer than passes.
func TestRowsAtOnce(t *testing.T) {
	for _, c := range []struct {
		p, rank, before, rows int
		want                  bool
	}{
		{500, 0, 750, 250, true}, {500, 0, 749, 250, false}, {500, 0, 5000, 249, false}, {500, 0, 0, 1000, true}, {500, 0, 0, 999, false},
		{50, 0, 0, 221, true}, {50, 0, 500, 220, false}, {50, 0, 500, 0, false},
		{1000, 0, 1500, 500, true}, {1000, 0, 5000, 499, false}, {1001, 0, 5000, 5000, false}, {600, 300, 2000, 600, false}, {600, 300, 2000, 601, true},
	} {
		m := newTestSketch(t, c.p, c.rank)
		m.n = float64(c.before)
		if got := m.atOnce(c.rows); got != c.want {
			t.Errorf("p = %d, rank %d, %d rows after %d: %v, want %v", c.p, c.rank, c.rows, c.before, got, c.want)
		}
	}
}

// A shard of many rows gives the posterior of conjugate regression with the same kappa,
// whole for up to rank columns, and else, of the first shard, its mode: that is where it was
// before something was given up. Rows without a response are not there.
func TestManyRowsEqualConjugateRegression(t *testing.T) {
	const p, n = 12, 330
	r := rand.New(rand.NewPCG(50, 1))
	sh := modeltest.RegressionShard(r, n, p, false)
	gaps := &cdf.Shard{Rows: n + 5, Cols: p, X: slices.Clone(sh.X), Y: slices.Clone(sh.Y)}
	for i := range sh.X {
		sh.X[i] = 3*sh.X[i] + float64(i%p)
	}
	copy(gaps.X, sh.X)
	for k := range 5 {
		at := 61 * k
		gaps.X = slices.Insert(gaps.X, at*p, make([]float64, p)...)
		gaps.Y = slices.Insert(gaps.Y, at, math.NaN())
	}
	for _, c := range []struct {
		rank int
		cuts []int
	}{{20, []int{n}}, {20, []int{40, n}}, {5, []int{n}}} {
		m, from := newTestSketch(t, p, c.rank), 0
		d := modeltest.Stepper{Model: m}
		for _, to := range c.cuts {
			d.Must(t, modeltest.Cut(sh, from, to), 1)
			from = to
		}
		best := newConjugate(sh, m.logKappa)
		for j, r := range modeltest.Summarize(t, m, modeltest.Coefficients(p)) {
			if j == p {
				if d := modeltest.Relative(r.Mean, best.rate/(n/2.)); !(d < 1e-8) {
					t.Errorf("rank %d: sigma2 is %v, want %v", c.rank, r.Mean, best.rate/(n/2.))
				}
				break
			}
			if d := math.Abs(r.Mean-best.mean[j]) / best.sd[j]; !(d < 1e-8) {
				t.Errorf("rank %d, cuts %v: gamma %d is %v, want %v", c.rank, c.cuts, j, r.Mean, best.mean[j])
			}
			if d := modeltest.Relative(r.SD, best.sd[j]); c.rank > p && !(d < 1e-8) {
				t.Errorf("rank %d: sd of gamma %d is %v, want %v", c.rank, j, r.SD, best.sd[j])
			}
		}
		if len(c.cuts) == 1 {
			other := newTestSketch(t, p, c.rank)
			feed(t, other, gaps, 0)
			if !bytes.Equal(modeltest.State(t, other), modeltest.State(t, m)) {
				t.Errorf("rank %d: rows without a response leave another state", c.rank)
			}
		}
	}
}

// What is given up of a shard of many rows is accounted for as of a pass: the diagonal
// of S stays, column by column, and so do the curvature along the directions that are
// kept and the mode. Nothing of F'F is beyond M'M.
func TestManyRowsKeepModeAndDiagonal(t *testing.T) {
	const p, rank, rows = 60, 12, 240
	r := rand.New(rand.NewPCG(51, 1))
	load := make([]float64, 5*p)
	for i := range load {
		load[i] = r.NormFloat64()
	}
	m := newTestSketch(t, p, rank)
	d, w := modeltest.Stepper{Model: m}, m.work()
	m.scratch.New = func() any { return w }
	m.scratch.Put(w)
	for shard := range 5 {
		before, weight := slices.Clone(m.c), m.weight
		d.Must(t, manyRows(r, rows, p, shard, load), 1)
		lin.Scale((m.weight-rows)/max(weight, 1), before) // what discounting left
		if !m.lossy || m.rows != rank {
			t.Fatalf("%d rows kept, lossy %v", m.rows, m.lossy)
		}
		given, left := 0.0, 0.0
		for j := range p {
			full, kept := before[j]+w.whole.xx[j*p+j], m.c[j]
			for i := range rank {
				kept += m.b[i*p+j] * m.b[i*p+j]
			}
			given, left = given+full, left+kept
			if modeltest.Relative(kept, full) > 1e-12 {
				t.Errorf("shard %d: diagonal %d is %v, was %v", shard, j, kept, full)
			}
			if nearest := 0.0; shard > 0 {
				for i := range w.rows {
					nearest += w.m[i*p+j] * w.m[i*p+j]
				}
				if most := w.whole.xx[j*p+j]; nearest > most*(1+1e-10) {
					t.Errorf("shard %d: F'F has %v of column %d, of %v", shard, nearest, j, most)
				}
			}
		}
		if modeltest.Relative(left, given) > 1e-13 {
			t.Errorf("shard %d: variance %v, was %v", shard, left, given)
		}
		along := make([]float64, rank*p)
		lin.Mul(rank, p, p, m.b, w.whole.xx, along)
		for k := range rank {
			v := lin.Row(m.b, p, k)
			full, kept := lin.Dot(v, lin.Row(along, p, k)), 0.0
			for j, u := range v {
				full += before[j] * u * u
				kept += m.c[j] * u * u
			}
			for i := range rank {
				d := lin.Dot(v, lin.Row(m.b, p, i))
				kept += d * d
			}
			if d := modeltest.Relative(kept, full); d > 1e-3 {
				t.Errorf("shard %d: curvature %v along direction %d, was %v (%v)", shard, kept, k, full, d)
			}
		}
		g := make([]float64, p)
		if !w.stored.factor(rank, p, m.b, m.c, math.Exp(m.logKappa)) {
			t.Fatal("not positive definite")
		}
		w.stored.solve(p, m.b, m.h, g, w.v1)
		for j := range g {
			if math.Abs(g[j]-m.g[j]) > 1e-9 {
				t.Errorf("shard %d: mode %d moves from %v to %v", shard, j, m.g[j], g[j])
			}
		}
	}
}

// A row far out leaves B with one direction, beside which others are rounding. The curvature
// of many rows after it is not given up for that, but goes into the diagonal.
func TestManyRowsAfterAnOutlier(t *testing.T) {
	const p, rank, wild = 60, 50, 30 // columns that the row is far out in
	r := rand.New(rand.NewPCG(55, 1))
	m := newTestSketch(t, p, rank)
	d := modeltest.Stepper{Model: m}
	for range 3 {
		d.Must(t, modeltest.RegressionShard(r, 90, p, false), 1)
	}
	far := modeltest.RegressionShard(r, 90, p, false)
	for j := range wild {
		far.X[j] *= 1e8
	}
	d.Must(t, far, 1)
	if !m.lossy || m.rows > 2 {
		t.Fatalf("%d rows kept, lossy %v: this test has lost its point", m.rows, m.lossy)
	}
	w := m.work()
	m.scratch.New = func() any { return w }
	m.scratch.Put(w)
	before, weight := slices.Clone(m.c), m.weight
	const rows = 240
	d.Must(t, modeltest.RegressionShard(r, rows, p, false), 1)
	lin.Scale((m.weight-rows)/weight, before)
	for j := wild; j < p; j++ {
		full, kept := before[j]+w.whole.xx[j*p+j], m.c[j]
		for i := range m.rows {
			kept += m.b[i*p+j] * m.b[i*p+j]
		}
		if d := math.Abs(kept - full); d > .01*rows {
			t.Errorf("diagonal %d is %v, was %v: %v of %d rows", j, kept, full, d, rows)
		}
	}
}

// The directions of a block hold as much as eigenvectors would but for a fiftieth of what these
// give up, also where new ones come all at once in columns that were constant.
func TestBlockFindsDirections(t *testing.T) {
	const p, rank, rows = 150, 20, 300
	for name, shift := range map[string]float64{"no factors": 0, "factors": 1, "late factors": 2} {
		r := rand.New(rand.NewPCG(52, 1))
		load := make([]float64, 16*p)
		for i := range load {
			load[i] = 3 * r.NormFloat64()
		}
		m := newTestSketch(t, p, rank)
		d, w := modeltest.Stepper{Model: m}, m.work()
		m.scratch.New = func() any { return w }
		for shard := range 6 {
			factors := 0
			if shift == 1 || shift == 2 && shard >= 3 {
				factors = 16
			}
			sh := manyRows(r, rows, p, factors, load)
			if shift == 2 && shard < 3 {
				for i := range sh.X {
					if i%p >= 50 {
						sh.X[i] = 0
					}
				}
			}
			m.scratch.Put(w)
			d.Must(t, sh, 1)
			if shard == 0 {
				continue
			}
			all := slices.Clone(w.whole.xx)
			values := make([]float64, p)
			if !lin.Eigen(p, all, values, make([]float64, lin.EigenWork(p))) {
				t.Fatal("no eigenvalues")
			}
			slices.Sort(values)
			best, lost, got := 0.0, 0.0, 0.0
			for k, v := range values {
				if k >= p-rank {
					best += v
				} else {
					lost += v
				}
			}
			for _, v := range w.vals[:rank] {
				got += v
			}
			if missed := (best - got) / lost; !(missed < .02) {
				t.Errorf("%s, shard %d: %.4f more is given up than there need be", name, shard, missed)
			}
		}
	}
}

// Shards of many rows end nearer to the posterior of all rows than the same rows in
// shards of a hundred. Means of ten streams, whose ratio is below 0.9 in each.
func TestManyRowsAreNearerToTheExactPosterior(t *testing.T) {
	const p, rank, rows, shards = 120, 25, 400, 5
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 53))
		load := make([]float64, 8*p)
		for i := range load {
			load[i] = .3 * r.NormFloat64()
		}
		whole, passes := newTestSketch(t, p, rank), newTestSketch(t, p, rank)
		exact := newTest(t, "", "statistics: exact", modeltest.Columns(p))
		for range shards {
			sh := manyRows(r, rows, p, 8, load)
			feed(t, whole, sh, 0)
			feed(t, passes, sh, 100)
			feed(t, exact, sh, 0)
		}
		want := modeltest.Summarize(t, exact, modeltest.Coefficients(p))
		distance := func(m cdf.Model) float64 {
			sum := 0.0
			for j, r := range modeltest.Summarize(t, m, modeltest.Coefficients(p))[:p] {
				e := (r.Mean - want[j].Mean) / want[j].SD
				sum += e * e / p
			}
			return sum
		}
		if w, q := distance(whole), distance(passes); !(w < .9*q) {
			t.Errorf("seed %d: squared distance %.3g in sds of the exact posterior, %.3g by passes", seed, w, q)
		}
	}
}

// Columns that are copies, constant, or of a few factors only give what passes
// give, whatever the scratch space held.
func TestManyRowsOfFewDirections(t *testing.T) {
	const p, rank, rows = 70, 10, 260
	r := rand.New(rand.NewPCG(54, 1))
	shards := make([]*cdf.Shard, 4)
	for k := range shards {
		shards[k] = modeltest.RegressionShard(r, rows, p, false)
		for i := range rows {
			row := shards[k].X[i*p:][:p]
			for j := range row {
				switch {
				case j >= 60:
					row[j] = 5
				case j >= 6*(k+1):
					row[j] = row[j%(6*(k+1))]
				}
			}
		}
	}
	scratch, states := newSketchScratch(), [2][]byte{}
	for k := range states {
		s := Defaults()
		s.Rank = rank
		s, err := s.Complete("")
		if err != nil {
			t.Fatal(err)
		}
		m, err := newSketch(s, cdf.Dims{Columns: modeltest.Columns(p)}, scratch)
		if err != nil {
			t.Fatal(err)
		}
		for i, sh := range shards {
			feed(t, m, sh, 0)
			if m.lossy != (i > 0) {
				t.Errorf("shard %d of %d directions: lossy %v", i, 6*(i+1), m.lossy)
			}
		}
		states[k] = modeltest.State(t, m)
	}
	if !bytes.Equal(states[0], states[1]) {
		t.Error("the second stream has another state")
	}
}

// Products that rounding has made indefinite are shifted by as little as makes them
// definite; those that are not finite are refused.
func TestBlockShifts(t *testing.T) {
	const n = 30
	b := newBlock(20, n)
	for _, c := range []struct{ least, want float64 }{{1e-3, leastShift}, {0, leastShift}, {-1e-9, leastShift * 0x1p18}} {
		for i := range n {
			for j := range n {
				b.square[i*n+j] = c.least * float64(1-min(max(i-j, j-i), 1))
				b.square[i*n+j] += 1
			}
		}
		if got, want := b.factor(n), c.want*(1+c.least); got != want {
			t.Errorf("least eigenvalue %v: shifted by %v, want %v", c.least, got, want)
		}
	}
	clear(b.square)
	if got := b.factor(n); got != leastShift {
		t.Errorf("nothing is shifted by %v, want %v", got, leastShift)
	}
	b.square[7*n+7] = math.NaN()
	if got := b.factor(n); got != 0 {
		t.Errorf("NaN is shifted by %v", got)
	}
}

// What Score found of rows is taken for these rows and that state alone: a model that scored
// has the bits of one that did not, also where the rows are absorbed later, by another
// model that works in the same place, in several passes, or have gaps.
func TestScoredRowsAreThoseOfTheState(t *testing.T) {
	const p, most = 12, 330
	r := rand.New(rand.NewPCG(51, 1))
	serial, scored, plain := uint64(0), newTestSketch(t, p, 4), newTestSketch(t, p, 4)
	neighbour := newTestSketch(t, p, 4)
	neighbour.scratch = scored.scratch
	score := func(sh *cdf.Shard) {
		for _, m := range []*Sketch{neighbour, scored} {
			if _, err := m.Score(sh, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	absorb := func(sh *cdf.Shard) {
		for _, m := range []*Sketch{scored, neighbour} {
			(&modeltest.Stepper{Model: m}).Must(t, sh, 1)
		}
		unknown := *sh
		unknown.Serial = 0
		(&modeltest.Stepper{Model: plain}).Must(t, &unknown, 1)
	}
	for i, rows := range []int{20, 60, most, 7, 90, most, 33} {
		sh, late := modeltest.RegressionShard(r, rows, p, false), modeltest.RegressionShard(r, 11, p, false)
		if i%2 == 1 {
			sh.Y[rows/2], late.Y[5] = math.NaN(), math.NaN()
		}
		sh.Serial, late.Serial = serial+1, serial+2
		serial += 2
		score(late)
		score(sh)
		absorb(late) // the state is another one than sh was scored with
		absorb(sh)
		score(late)
		absorb(late)
		want := modeltest.State(t, plain)
		for name, m := range map[string]*Sketch{"that scored": scored, "beside it": neighbour} {
			if !bytes.Equal(modeltest.State(t, m), want) {
				t.Fatalf("after shard %d the model %s has another state than one that never scored", i, name)
			}
		}
	}
}
