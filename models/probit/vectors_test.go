package probit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/internal/modeltest"
)

type site struct{ W, C float64 }

type vectors struct {
	TruncatedNormal []struct {
		M, U, W, Variance, Mean float64
		LogPhi                  float64 `json:"log_Phi"`
		CDF                     []struct{ T, CDF float64 }
	} `json:"truncated_normal"`
	Freeze struct {
		Draws [][]float64
		Rows  []struct {
			X              []float64
			Y              float64
			XS             []float64
			Paper, Lap, VG site
		}
		After map[string]struct {
			P [][]float64
			H []float64
		} `json:"after_freezing_rows_0_to_4"`
	}
	OneSweep struct {
		P      [][]float64
		H      []float64
		Window [][]float64 `json:"window_xs"`
		T      [][]float64
		Sig    [][]float64
		Mean   [][]float64
	} `json:"one_sweep"`
	Window []struct {
		Window     int
		ShardSizes []int `json:"shard_sizes"`
		Expected   []struct {
			Rows  int
			Micro []struct {
				Rows, Evicted int
				WindowFirst   int `json:"window_first"`
				WindowRows    int `json:"window_rows"`
			} `json:"micro_shards"`
		}
	}
}

func readVectors(t *testing.T) *vectors {
	v := new(vectors)
	modeltest.ReadJSON(t, "vectors/probit.json", v)
	return v
}

func TestHazardVectors(t *testing.T) {
	for _, v := range readVectors(t).TruncatedNormal {
		u, w := normal.Hazard(v.M)
		if !(modeltest.Relative(u, v.U) <= 1e-12) || !(math.Abs(w-v.W) <= 1e-9) || !(modeltest.Relative(1-w, v.Variance) <= 1e-6) {
			t.Errorf("m %v: u %v (%.1e) w %v (%.1e), variance %.1e", v.M, u, modeltest.Relative(u, v.U), w, math.Abs(w-v.W), modeltest.Relative(1-w, v.Variance))
		}
		if got := normal.LogCDF(v.M); !(math.Abs(got-v.LogPhi) <= 1e-13*max(1, math.Abs(v.LogPhi))) {
			t.Errorf("log Phi(%v) is %v, want %v", v.M, got, v.LogPhi)
		}
	}
}

// The draws of t: mean, and the distribution function at five points. 4.5
// standard errors over 96 comparisons: a false alarm in 1,500 seeds.
func TestLatentVectors(t *testing.T) {
	const n = 200_000
	r, lanes, draws := rand.New(rand.NewPCG(61, 1)), rnd.Lanes{}, make([]float64, n)
	lanes.Seed(r)
	for _, v := range readVectors(t).TruncatedNormal {
		mean, below := 0.0, make([]float64, len(v.CDF))
		for i := range draws {
			draws[i] = v.M
		}
		lanes.Positive(r, draws)
		for _, x := range draws {
			if !(x > 0) {
				t.Fatalf("m %v: a draw of %v", v.M, x)
			}
			mean += x / n
			for k, c := range v.CDF {
				if x <= c.T {
					below[k] += 1. / n
				}
			}
		}
		if z := (mean - v.Mean) / math.Sqrt(v.Variance/n); !(math.Abs(z) < 4.5) {
			t.Errorf("m %v: mean %v, want %v (%.1f se)", v.M, mean, v.Mean, z)
		}
		for k, c := range v.CDF {
			// One draw is the resolution where the probability is tiny.
			if se := math.Sqrt(c.CDF*(1-c.CDF)/n) + .3/n; !(math.Abs(below[k]-c.CDF) < 4.5*se) {
				t.Errorf("m %v: P(T <= %v) is %v, want %v", v.M, c.T, below[k], c.CDF)
			}
		}
	}
}

// frozen returns a model whose window holds the rows and whose draws are
// those given, after the first k rows were frozen.
func frozen(t *testing.T, v *vectors, variant string, k int) *Model {
	s := Defaults()
	s.Chains = 2
	m := newTest(t, variant, s, dims(3, len(v.Freeze.Draws), true))
	for i, d := range v.Freeze.Draws {
		copy(m.draws[i*3:], d)
	}
	for _, row := range v.Freeze.Rows {
		m.window.x, _ = m.Signed(m.window.x, &cdf.Shard{Rows: 1, Cols: 3, X: row.X, Y: []float64{row.Y}}, 0, 1)
	}
	w := m.work()
	m.freeze(m.leaving(k, w), w)
	m.scratch.Put(w)
	return m
}

// withPrior returns the lower triangle of the precision with the prior's in it.
func withPrior(m *Model) []float64 {
	out := slices.Clone(m.xx)
	for j := range m.p {
		out[j*m.p+j] += 1 / m.Variance(j)
	}
	return out
}

func TestFreezeVectors(t *testing.T) {
	v := readVectors(t)
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-10*math.Abs(want)) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	for i, row := range v.Freeze.Rows {
		var mean, meanU, meanW float64
		for _, d := range v.Freeze.Draws {
			m, n := lin.Dot(row.XS, d), float64(len(v.Freeze.Draws))
			u, w := normal.Hazard(m)
			mean, meanU, meanW = mean+m/n, meanU+u/n, meanW+w/n
		}
		w, c := expectedSite(mean, meanU, meanW)
		near(fmt.Sprint("expected w of row ", i), w, row.VG.W)
		near(fmt.Sprint("expected c of row ", i), c, row.VG.C)
		w, c = unitSite(mean, meanU, meanW)
		near(fmt.Sprint("paper w of row ", i), w, row.Paper.W)
		near(fmt.Sprint("paper c of row ", i), c, row.Paper.C)
		u, w := normal.Hazard(mean) // the site at the mean
		near(fmt.Sprint("lap w of row ", i), w, row.Lap.W)
		near(fmt.Sprint("lap c of row ", i), w*mean+u, row.Lap.C)
	}
	for variant, rule := range map[string]string{"corrected": "vg", "paper": "paper"} {
		m := frozen(t, v, variant, 5)
		got, want := withPrior(m), v.Freeze.After[rule]
		for j := range 3 {
			near(fmt.Sprintf("%s h_%d", variant, j), m.xz[j], want.H[j])
			for k := range j + 1 {
				near(fmt.Sprintf("%s P_%d%d", variant, j, k), got[j*3+k], want.P[j][k])
			}
		}
		for i, x := range m.window.x {
			near("window", x, v.Freeze.Rows[5+i/3].XS[i%3])
		}
	}
}

func TestSweepVectors(t *testing.T) {
	v := readVectors(t)
	m, o := frozen(t, v, "corrected", 5), v.OneSweep
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.covariance(w); err != nil {
		t.Fatal(err)
	}
	for j := range 3 {
		for k := range 3 {
			if got, want := m.post.cov[j*3+k], o.Sig[j][k]; !(modeltest.Relative(got, want) <= 1e-12) {
				t.Errorf("Sigma_%d%d is %v, want %v", j, k, got, want)
			}
		}
	}
	sum, mean, latent := make([]float64, 6), make([]float64, 6), make([]float64, 0, 8)
	for _, row := range o.T {
		latent = append(latent, row...)
	}
	repeat(2, m.xz, sum)
	lin.AddTMul(4, 3, 2, m.window.x, latent, sum)
	lin.Mul(3, 2, 3, m.post.cov, sum, mean)
	for j := range 3 {
		for c := range 2 {
			if got, want := mean[2*j+c], o.Mean[j][c]; !(modeltest.Relative(got, want) <= 1e-12) {
				t.Errorf("mean %d of chain %d is %v, want %v", j, c, got, want)
			}
		}
	}
}

// Rows are told apart by their number in a column: the window's bookkeeping.
func TestWindowVectors(t *testing.T) {
	for _, c := range readVectors(t).Window {
		s := windowOf(c.Window)
		s.Chains = 1
		m := newTest(t, "corrected", s, dims(1, 2, false))
		d, number := driver(m), 0.0
		for shard, want := range c.Expected {
			if want.Rows != c.ShardSizes[shard] {
				t.Fatal("the vector contradicts itself")
			}
			before := m.rows()
			for i, micro := range want.Micro {
				count := parts(want.Rows, m.limit)
				size := part(want.Rows, count, i+1) - part(want.Rows, count, i)
				evicted := max(0, before+size-m.limit)
				before += size - evicted
				if count != len(want.Micro) || size != micro.Rows || evicted != micro.Evicted || before != micro.WindowRows {
					t.Fatalf("window %d shard %d part %d: %d rows, %d evicted, %d kept", c.Window, shard, i, size, evicted, before)
				}
			}
			sh := &cdf.Shard{Rows: want.Rows, Cols: 1}
			for range want.Rows {
				number++
				sh.X = append(sh.X, 1e-3*number)
				sh.Y = append(sh.Y, 1)
			}
			d.Must(t, sh, 1)
			if n := len(want.Micro); n > 0 {
				last := want.Micro[n-1]
				if m.rows() != last.WindowRows || m.window.x[0] != 1e-3*float64(last.WindowFirst+1) {
					t.Errorf("window %d shard %d: %d rows from %v, want %+v", c.Window, shard, m.rows(), m.window.x[0], last)
				}
			}
		}
	}
}
