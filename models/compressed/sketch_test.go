package compressed

import (
	"bytes"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

func newTestSketch(t testing.TB, p, rank int) *Sketch {
	t.Helper()
	s := Defaults()
	s.Rank = rank
	s, err := s.Complete("")
	if err != nil {
		t.Fatal(err)
	}
	m, err := newSketch(s, cdf.Dims{Columns: modeltest.Columns(p)}, newSketchScratch())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// solveDense solves a x = b by Gaussian elimination with pivoting, and
// destroys both.
func solveDense(n int, a, b []float64) []float64 {
	for i := range n {
		k := i
		for r := i; r < n; r++ {
			if math.Abs(a[r*n+i]) > math.Abs(a[k*n+i]) {
				k = r
			}
		}
		for c := range n {
			a[i*n+c], a[k*n+c] = a[k*n+c], a[i*n+c]
		}
		b[i], b[k] = b[k], b[i]
		for r := i + 1; r < n; r++ {
			f := a[r*n+i] / a[i*n+i]
			for c := i; c < n; c++ {
				a[r*n+c] -= f * a[i*n+c]
			}
			b[r] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			b[i] -= a[i*n+c] * b[c]
		}
		b[i] /= a[i*n+i]
	}
	return b
}

// With the rank above p, and with exact statistics, the posterior is that of
// conjugate regression on all rows at once, with the same kappa, by a program
// of another kind: normal equations of the centred and scaled rows, solved
// densely. kappa maximises the evidence -1/2 log|I + kappa Z'Z| - a_n log b_n with
// the density of a Beta(1/2, 1/2) share of the variance.
func TestEqualsConjugateRegression(t *testing.T) {
	const p, n = 7, 90
	r := rand.New(rand.NewPCG(40, 1))
	sh := modeltest.RegressionShard(r, n, p, false)
	for i := range sh.X {
		sh.X[i] = 3*sh.X[i] + float64(i%p)
	}
	sketch, exact := newTestSketch(t, p, 20), newTest(t, "", "statistics: exact", modeltest.Columns(p)).(*Exact)
	feed(t, sketch, sh, 11)
	feed(t, exact, sh, 11)
	for _, c := range []struct {
		name     string
		model    cdf.Model
		logKappa float64
	}{{"sketch", sketch, sketch.logKappa}, {"exact", exact, exact.logKappa}} {
		best := newConjugate(sh, c.logKappa)
		for j, r := range modeltest.Summarize(t, c.model, modeltest.Coefficients(p)) {
			if j == p {
				if d := modeltest.Relative(r.Mean, best.rate/(n/2.)); !(d < 1e-8) {
					t.Errorf("%s: sigma2 is %v, want %v", c.name, r.Mean, best.rate/(n/2.))
				}
				break
			}
			if d := math.Abs(r.Mean-best.mean[j]) / best.sd[j]; !(d < 1e-8) {
				t.Errorf("%s: gamma %d is %v, want %v", c.name, j, r.Mean, best.mean[j])
			}
			if d := modeltest.Relative(r.SD, best.sd[j]); !(d < 1e-8) {
				t.Errorf("%s: sd of gamma %d is %v, want %v", c.name, j, r.SD, best.sd[j])
			}
		}
		x := &cdf.Shard{Rows: 1, Cols: p, X: lin.Row(sh.X, p, 0), Y: []float64{math.NaN()}}
		out := make([]cdf.Prediction, 1)
		if err := c.model.(cdf.Predictor).Predict(x, out); err != nil {
			t.Fatal(err)
		}
		if d := modeltest.Relative(out[0].SD, best.first); !(d < 1e-8) {
			t.Errorf("%s: a prediction has sd %v, want %v", c.name, out[0].SD, best.first)
		}
		prior := func(logKappa float64) float64 {
			share := 1 / (1 + math.Exp(-logKappa)/p)
			return math.Log(share*(1-share)) / 2 // of the logarithm of its odds
		}
		most := best.evidence + prior(c.logKappa)
		for x := -16.; x <= 6; x += .1 {
			if v := newConjugate(sh, x).evidence + prior(x); v > most+1e-7 {
				t.Fatalf("%s: log kappa %v has density %v, %v has %v", c.name, c.logKappa, most, x, v)
			}
		}
	}
}

// conjugate is the posterior of the rows of a shard with kappa given.
type conjugate struct {
	mean, sd       []float64 // of gamma in original units
	rate, evidence float64
	first          float64 // sd of a new observation at the first row
}

func newConjugate(sh *cdf.Shard, logKappa float64) conjugate {
	p, n, kappa := sh.Cols, float64(sh.Rows), math.Exp(logKappa)
	mean, s, ybar := make([]float64, p), make([]float64, p), 0.
	for i, y := range sh.Y {
		ybar += y / n
		for j := range p {
			mean[j] += sh.X[i*p+j] / n
		}
	}
	for i := range sh.Rows {
		for j := range p {
			e := sh.X[i*p+j] - mean[j]
			s[j] += e * e / (n - 1)
		}
	}
	z := make([]float64, sh.Rows*p)
	gram, xy, yy := make([]float64, p*p), make([]float64, p), 0.
	for i, y := range sh.Y {
		yy += (y - ybar) * (y - ybar)
		for j := range p {
			z[i*p+j] = (sh.X[i*p+j] - mean[j]) / math.Sqrt(s[j])
			xy[j] += z[i*p+j] * (y - ybar)
		}
		for j := range p {
			for k := range p {
				gram[j*p+k] += z[i*p+j] * z[i*p+k]
			}
		}
	}
	for j := range p {
		gram[j*p+j] += 1 / kappa
	}
	solve := func(b []float64) []float64 {
		return solveDense(p, append([]float64(nil), gram...), append([]float64(nil), b...))
	}
	c := conjugate{mean: solve(xy), sd: make([]float64, p), rate: 1 + yy/2}
	for j := range p {
		c.rate -= xy[j] * c.mean[j] / 2
	}
	s2 := c.rate / (1 + n/2 - 1)
	for j := range p {
		unit := make([]float64, p)
		unit[j] = 1
		c.mean[j] /= math.Sqrt(s[j])
		c.sd[j] = math.Sqrt(s2 * solve(unit)[j] / s[j])
	}
	v := 1 + 1/n
	for j, w := range solve(z[:p]) {
		v += w * z[j]
	}
	c.first = math.Sqrt(s2 * v)
	// log|I + kappa Z'Z| by elimination without pivots.
	det := 0.
	for i := range p {
		det += math.Log(kappa * gram[i*p+i])
		for r := i + 1; r < p; r++ {
			f := gram[r*p+i] / gram[i*p+i]
			for k := i; k < p; k++ {
				gram[r*p+k] -= f * gram[i*p+k]
			}
		}
	}
	c.evidence = -det/2 - (1+n/2)*math.Log(c.rate)
	return c
}

// Giving up curvature leaves the mode where it was, the curvature along the directions that are
// kept and of the diagonal of S what rows told, in both forms of the
// decomposition (fewer and more rows than columns). S before is that of the rows
// in w.m and of the diagonal of the shard before.
func TestTruncationKeepsModeAndDiagonal(t *testing.T) {
	for _, c := range []struct{ p, rank, rows int }{{40, 10, 25}, {12, 6, 60}} {
		r := rand.New(rand.NewPCG(41, 1))
		m := newTestSketch(t, c.p, c.rank)
		w := m.work()
		for shard := range 4 {
			before := append([]float64(nil), m.c...)
			sh := modeltest.RegressionShard(r, c.rows, c.p, false)
			row := 0
			fillRows(sh, &row, c.rows, w.x, w.y)
			weight := m.weight
			if err := m.pass(w, 0, c.rows, 1); err != nil {
				t.Fatal(err)
			}
			// w.m still holds the rows before the truncation.
			if !m.lossy || m.rows != c.rank {
				t.Fatalf("%d rows kept, lossy %v", m.rows, m.lossy)
			}
			// What discounting left of the diagonal before.
			lin.Scale((m.weight-float64(c.rows))/max(weight, 1), before)
			lost, inside, want := make([]float64, c.p), make([]float64, c.p), append([]float64(nil), before...)
			for j := range c.p {
				for i := range w.rows {
					lost[j] += w.m[i*c.p+j] * w.m[i*c.p+j]
				}
				for k := range m.rows {
					v := lin.Row(m.b, c.p, k)
					square := v[j] * v[j] / lin.Dot(v, v) // of a direction, whatever D took off it
					lost[j] -= w.vals[k] * square
					inside[j] += square
					want[j] += w.vals[k] * square
				}
			}
			told := variancesKept(lost, inside, before, math.Exp(-m.logKappa), w.vals[m.rows:])
			for j := range c.p {
				kept := m.c[j]
				for i := range m.rows {
					kept += m.b[i*c.p+j] * m.b[i*c.p+j]
				}
				if want := want[j] + told[j]; modeltest.Relative(kept, want) > 1e-11 {
					t.Errorf("p=%d shard %d: diagonal %d is %v, want %v", c.p, shard, j, kept, want)
				}
				if told[j] > lost[j]*(1+1e-12) || told[j] < 0 {
					t.Errorf("p=%d shard %d: column %d has %v of the %v that it lost", c.p, shard, j, told[j], lost[j])
				}
			}
			for k := range m.rows {
				v := lin.Row(m.b, c.p, k)
				full, kept := 0., 0.
				for j, u := range v {
					full += before[j] * u * u
					kept += m.c[j] * u * u
				}
				for i := range w.rows {
					d := lin.Dot(v, lin.Row(w.m, c.p, i))
					full += d * d
				}
				for i := range m.rows {
					d := lin.Dot(v, lin.Row(m.b, c.p, i))
					kept += d * d
				}
				if d := modeltest.Relative(kept, full); d > 1e-3 {
					t.Errorf("p=%d shard %d: curvature %v along direction %d, was %v (%v)", c.p, shard, kept, k, full, d)
				}
			}
			g := make([]float64, c.p)
			if !w.stored.factor(m.rows, c.p, m.b, m.c, math.Exp(m.logKappa)) {
				t.Fatal("not positive definite")
			}
			w.stored.solve(c.p, m.b, m.h, g, w.v1)
			for j := range g {
				if math.Abs(g[j]-m.g[j]) > 1e-9 {
					t.Errorf("p=%d shard %d: mode %d moves from %v to %v", c.p, shard, j, m.g[j], g[j])
				}
			}
		}
	}
}

// variancesKept returns what D has of the curvature that columns lost, by variances: where the precision of a
// coefficient was a, that of the directions which are not kept is on average the same with D as it was with the
// curvatures given up. inside are the shares of columns in directions that are kept.
func variancesKept(lost, inside, before []float64, prior float64, given []float64) []float64 {
	all, precision := 0.0, 0.0
	for j, v := range lost {
		all += v
		precision += v / (before[j] + prior)
	}
	precision = all / precision
	fall, sum := 0.0, 0.0 // of the variance in units of 1/precision^2, and what it would be without the curvature's own
	for _, w := range given {
		fall += (1/precision - 1/(precision+w)) * precision * precision
		sum += w
	}
	told := make([]float64, len(lost))
	for j, v := range lost {
		a, room := before[j]+prior, 1-inside[j]
		variance := 1/a - fall/sum*v/room/(a*a)
		told[j] = v
		if variance > 0 {
			told[j] = min(v, room*(1/variance-a))
		}
	}
	return told
}

// Columns that are alike: the directions are those of a Hadamard matrix, in
// which no column is special. What is given up becomes the same curvature
// d in all directions that are not kept, with the mean of their variances, and nothing
// in the others.
func TestTruncationOfColumnsThatAreAlike(t *testing.T) {
	const p, rank = 16, 4
	m := newTestSketch(t, p, rank)
	w := m.work()
	w.rows = p
	for i := range p {
		curvature := [2]float64{1, .25}[i%2]
		if i < rank {
			curvature = 9
		}
		for j := range p {
			w.m[i*p+j] = math.Sqrt(curvature/p) * float64(1-2*(bits.OnesCount(uint(i&j))%2))
		}
	}
	if err := m.rotate(w); err != nil {
		t.Fatal(err)
	}
	m.truncate(w)
	const d = 2/(1/(1+1.)+1/(1+.25)) - 1 // kappa is 1
	for i := range p {
		if math.Abs(m.c[i]-d) > 1e-12 {
			t.Errorf("diagonal %d is %v, want %v", i, m.c[i], d)
		}
	}
	for i := range rank {
		for k := range rank {
			want := 0.
			if i == k {
				want = 9 - d
			}
			if got := lin.Dot(lin.Row(m.b, p, i), lin.Row(m.b, p, k)); math.Abs(got-want) > 1e-11 {
				t.Errorf("rows %d and %d of B: %v, want %v", i, k, got, want)
			}
		}
	}
}

// Scaling and shifting columns and response leaves the standardised result
// alone: the sketch centres and scales by itself.
func TestSketchIgnoresOriginAndScale(t *testing.T) {
	const p = 30
	r := rand.New(rand.NewPCG(42, 1))
	sh := modeltest.RegressionShard(r, 200, p, false)
	moved := modeltest.Cut(sh, 0, sh.Rows)
	moved.X = append([]float64(nil), sh.X...)
	for i := range moved.X {
		moved.X[i] = 1000 + moved.X[i]*float64(1+i%p)
	}
	moved.Y = append([]float64(nil), sh.Y...)
	for i := range moved.Y {
		moved.Y[i] -= 500
	}
	a, b := newTestSketch(t, p, 8), newTestSketch(t, p, 8)
	feed(t, a, sh, 20)
	feed(t, b, moved, 20)
	x, y := modeltest.Summarize(t, a, modeltest.Coefficients(p)), modeltest.Summarize(t, b, modeltest.Coefficients(p))
	for j := range p {
		if f := float64(1 + j); math.Abs(x[j].Mean-f*y[j].Mean) > 1e-6*x[j].SD || modeltest.Relative(f*y[j].SD, x[j].SD) > 1e-6 {
			t.Errorf("column %d: %v (%v) and %v (%v)", j, x[j].Mean, x[j].SD, y[j].Mean, y[j].SD)
		}
	}
}

// A column that is constant at first is scaled when it begins to vary, also
// after curvature was given up.
func TestSketchTakesALateColumn(t *testing.T) {
	const p = 20
	r := rand.New(rand.NewPCG(43, 1))
	m := newTestSketch(t, p, 5)
	d := modeltest.Stepper{Model: m}
	for shard := range 120 {
		sh := modeltest.RegressionShard(r, 30, p, false)
		for i := range sh.Rows {
			if x := &sh.X[i*p+3]; shard < 40 {
				*x = 7.1
			} else {
				*x = 7.1 + 50*r.NormFloat64()
				sh.Y[i] += .1 * (*x - 7.1)
			}
		}
		d.Must(t, sh, 1)
		if shard == 39 && (m.ss[3] != 0 || m.scale[3] != 1) {
			t.Fatalf("a constant column has %v, %v", m.ss[3], m.scale[3])
		}
	}
	if m.scale[3] < 30 || m.scale[3] > 70 {
		t.Errorf("scale %v", m.scale[3])
	}
	row := modeltest.Summarize(t, m, modeltest.Coefficients(p))[3]
	if math.Abs(row.Mean-.1) > 5*row.SD || row.SD > .005 {
		t.Errorf("gamma %v (%v), want .1", row.Mean, row.SD)
	}
}

// The state is 8(rp + 6p + 13) + 6 bytes, linear in p, from the shard on that
// fills the sketch, and the same shards give the same bits.
func TestSketchStateIsFlat(t *testing.T) {
	const rank = 12
	for _, p := range []int{30, 60} {
		states := make([][]byte, 2)
		for k := range states {
			r := rand.New(rand.NewPCG(44, 1))
			m := newTestSketch(t, p, rank)
			d := modeltest.Stepper{Model: m}
			for range 30 {
				d.Must(t, modeltest.RegressionShard(r, 20, p, false), 1)
				b, err := m.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := 8*(rank*p+6*p+13) + 6; len(b) != want {
					t.Fatalf("p=%d, shard %d: %d bytes, want %d", p, d.T, len(b), want)
				}
				states[k] = b
			}
		}
		if !bytes.Equal(states[0], states[1]) {
			t.Errorf("p=%d: two runs differ", p)
		}
	}
}

// A restored state is solved anew, although another one was in the same model.
func TestSketchIsSolvedAfterRestore(t *testing.T) {
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(45, 1)), 60, 6, false)
	for _, settings := range []string{"rank: 3", "statistics: exact"} {
		m, fresh := newTest(t, "", settings, modeltest.Columns(6)), newTest(t, "", settings, modeltest.Columns(6))
		feed(t, m, modeltest.Cut(sh, 0, 30), 15)
		old := modeltest.State(t, m)
		feed(t, m, sh, 15)
		modeltest.Published(t, m, sh)
		for _, s := range []cdf.Model{m, fresh} {
			if err := s.UnmarshalBinary(old); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := modeltest.Published(t, m, sh), modeltest.Published(t, fresh, sh); got != want {
			t.Errorf("%s: published\n%s\nwant\n%s", settings, got, want)
		}
	}
}

// Exact statistics take 8(p(p+1)/2 + 3p + 8) + 1 bytes, and no more than
// 1,000 columns, with what to do instead.
func TestExactSize(t *testing.T) {
	for _, p := range []int{1, 30} {
		m := newTest(t, "", "statistics: exact", modeltest.Columns(p))
		feed(t, m, modeltest.RegressionShard(rand.New(rand.NewPCG(47, 1)), 20, p, false), 7)
		if got, want := len(modeltest.State(t, m)), 8*(p*(p+1)/2+3*p+8)+1; got != want {
			t.Errorf("p=%d: %d bytes, want %d", p, got, want)
		}
	}
	spec := modeltest.Spec(t, Kind(), "", cdf.Roles{}, strictyaml.Decode("statistics: exact"))
	if _, err := spec.New(cdf.Dims{Columns: modeltest.Columns(1000)}); err != nil {
		t.Errorf("1000 columns: %v", err)
	}
	_, err := spec.New(cdf.Dims{Columns: modeltest.Columns(1001)})
	if !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), "at most 1000 columns, there are 1001: set settings.statistics: sketch") {
		t.Errorf("1001 columns give %v", err)
	}
}

// Draws have the sds of the summary along directions that correlated columns
// make unlike: over 8,000 draws, within 5 standard errors of an sd.
func TestDrawsHaveTheCovariance(t *testing.T) {
	const p, draws = 3, 8000
	r := rand.New(rand.NewPCG(48, 1))
	sh := modeltest.RegressionShard(r, 60, p, false)
	for i := range sh.Rows {
		sh.X[i*p+1] = sh.X[i*p] + .3*sh.X[i*p+1]
	}
	for _, settings := range []string{"{}", "rank: 2", "statistics: exact"} {
		m := newTest(t, "", settings, modeltest.Columns(p))
		feed(t, m, sh, 20)
		out := &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, draws*(p+1))}
		step := cdf.Step{Shard: modeltest.Cut(sh, 0, 0), Forget: 1, RNG: r, Draws: out}
		if err := m.Blocks()[0].Sample(&step); err != nil {
			t.Fatal(err)
		}
		for _, weight := range [][]float64{{1, 1}, {1, -1}, {1, 0}, {0, 1}} {
			rows := modeltest.Summarize(t, m, []cdf.Functional{{Param: []int{0, 1}, Weight: weight}})
			mean, squares := 0., 0.
			for i := range draws {
				v := weight[0]*out.Row(0)[i] + weight[1]*out.Row(1)[i]
				mean += v / draws
				squares += (v - rows[0].Mean) * (v - rows[0].Mean) / draws
			}
			sd := rows[0].SD
			modeltest.Within(t, settings+": mean of draws", mean, rows[0].Mean, 5*sd/math.Sqrt(draws))
			modeltest.Within(t, settings+": sd of draws", math.Sqrt(squares), sd, 5*sd/math.Sqrt(2*draws))
		}
	}
}

// Rows that say nothing of the coefficients leave them an sd, which the evidence
// alone would take from a third of such streams: its maximum is at 0 then. The
// variance of what the columns add stays above a hundredth of that of the noise, and
// above the limit of kappa.
func TestNoSignalIsNoCertainty(t *testing.T) {
	const p, seeds = 80, 20
	vanished := 0
	for seed := range uint64(seeds) {
		for _, settings := range []string{"{}", "rank: 8", "statistics: exact", "projection: fixed"} {
			kappa := func(settings string) float64 {
				r := rand.New(rand.NewPCG(seed, 44))
				m := newTest(t, "", settings, modeltest.Columns(p))
				for range 8 {
					sh := modeltest.RegressionShard(r, 12, p, false)
					for i := range sh.Y {
						sh.Y[i] = r.NormFloat64()
					}
					feed(t, m, sh, 0)
				}
				switch m := m.(type) {
				case *Sketch:
					return p * math.Exp(m.logKappa)
				case *Exact:
					return p * math.Exp(m.logKappa)
				case *Fixed:
					return m.v * lin.Dot(m.phi, m.phi)
				}
				return 0
			}
			if r := kappa(settings); r < .01 || r < 1.01*p*math.Exp(leastLossyLogKappa) && settings == "rank: 8" {
				t.Errorf("seed %d, %s: the columns have %.2g of the variance of the noise", seed, settings, r)
			}
			if settings == "{}" && kappa("prior: {signal_shape: 0}") < 1e-3 {
				vanished++
			}
		}
	}
	if vanished < seeds/5 {
		t.Errorf("the evidence alone takes everything in %d of %d streams: this test has lost its point", vanished, seeds)
	}
}
