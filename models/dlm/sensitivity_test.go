package dlm

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// The second derivative of the log evidence by the power of a prior is the posterior
// variance of that prior's log density, the first one of the mean of phi its
// covariance with phi.
func TestPriorSensitivity(t *testing.T) {
	const h = .01
	for name, c := range map[string]series{
		"a level":               {phi: constantly(.9), tau: .5, sigma: 1},
		"one that hardly moves": {phi: constantly(.9), tau: .05, sigma: 1},
		"hardly any noise":      {phi: constantly(.9), tau: 1, sigma: .01},
		"one that alternates":   {phi: constantly(-.8), tau: .5, sigma: 1},
		"as much noise":         {phi: constantly(.5), tau: .7, sigma: .7},
	} {
		s := Defaults()
		s.Prior.Tau2Shape, s.Prior.Tau2Rate = 1.5, .3
		if name == "as much noise" { // and a prior of tau2 that moves phi more than that of sigma2
			s.Prior.Tau2Shape, s.Prior.Tau2Rate, s.Prior.Sigma2Shape, s.Prior.Sigma2Rate = 6, 2, .5, .01
		}
		s.Mean = map[bool]string{true: "known", false: "unknown"}[name == "a level"]
		y, _ := c.make(7, 120)
		d := modeltest.Stepper{Model: newTest(t, s)}
		m := d.Model.(*Model)
		f := each(m.Params())
		got := make([]float64, len(f))
		for i := range got {
			got[i] = math.NaN()
		}
		if m.PriorSensitivity(f, got); !math.IsNaN(got[phiRow]) || !math.IsNaN(got[sigma2Row]) {
			t.Errorf("before the first row %g, want NaN", got)
		}
		d.Must(t, rowsShard(y), 1)
		m.PriorSensitivity(f, got)
		w := m.family.take()
		gain := 0.0
		under := func(tau2, sigma2 float64) (log, phi, sd float64) {
			p := s.Prior
			p.Tau2Shape *= 1 + tau2
			p.Tau2Rate *= 1 + tau2
			p.Sigma2Shape *= 1 + sigma2
			p.Sigma2Rate *= 1 + sigma2
			if !w.weigh(&m.grid, &p, m.n) {
				t.Fatal("weights not finite")
			}
			w.marginals()
			w.locate(&m.grid)
			gain = 0
			for k, v := range w.weight {
				gain += v * min(w.spread[k], 1)
			}
			phi, sd = w.phiMoments(&m.grid)
			gamma, _ := math.Lgamma(w.shape)
			return w.logZ + gamma, phi, sd
		}
		middle, _, sd := under(0, 0)
		spread := math.Sqrt(gain * (1 - gain)) // of the level, in sds of the last row's prediction
		tauUp, phiTauUp, _ := under(h, 0)
		byTau := gain
		tauDown, phiTauDown, _ := under(-h, 0)
		byTau -= gain
		sigmaUp, phiSigmaUp, _ := under(0, h)
		bySigma := gain
		sigmaDown, phiSigmaDown, _ := under(0, -h)
		bySigma -= gain
		want := [...]float64{
			phiRow:    max(max(math.Abs(phiTauUp-phiTauDown), math.Abs(phiSigmaUp-phiSigmaDown))/(2*h), .7*endsMove(t, m)) / sd,
			tau2Row:   math.Sqrt(tauUp+tauDown-2*middle) / h,
			sigma2Row: math.Sqrt(sigmaUp+sigmaDown-2*middle) / h,
			thetaRow:  1.4 * max(math.Abs(byTau), math.Abs(bySigma)) / (2 * h) / spread,
		}
		for i, v := range got {
			switch {
			case i > thetaRow:
				if !math.IsNaN(v) {
					t.Errorf("%s: parameter %d has sensitivity %g", name, i, v)
				}
			case modeltest.Relative(v, want[i]) > 1e-3:
				t.Errorf("%s: sensitivity %g of %s, want %g", name, v, f[i].Name, want[i])
			}
		}
		state, _ := m.AppendBinary(nil)
		again, back := newTest(t, s), make([]float64, len(f))
		if err := again.UnmarshalBinary(state); err != nil {
			t.Fatal(err)
		}
		if again.PriorSensitivity(f, back); back[phiRow] != got[phiRow] || back[tau2Row] != got[tau2Row] || back[sigma2Row] != got[sigma2Row] || back[thetaRow] != got[thetaRow] {
			t.Errorf("%s: restored %g, before %g", name, back, got)
		}
		d.Must(t, rowsShard(y[:1]), 1)
		if m.told.known {
			t.Errorf("%s: what was told outlives a shard", name)
		}
	}
}

// endsMove is by how much an end of the interval of phi moves out with tau2 ~ IG(.5, .001).
func endsMove(t *testing.T, m *Model) float64 {
	t.Helper()
	w := m.family.take()
	ends := func(p Prior) (low, high float64) {
		if !w.weigh(&m.grid, &p, m.n) {
			t.Fatal("weights not finite")
		}
		w.marginals()
		w.phi.fill(&m.grid, &w.axis[etaAxis])
		return w.phi.quantile(.025), w.phi.quantile(.975)
	}
	p := m.family.settings.Prior
	if p.Tau2Shape > 2 {
		return 0
	}
	low, high := ends(p)
	p.Tau2Shape, p.Tau2Rate = .5, .001
	weakLow, weakHigh := ends(p)
	return max(low-weakLow, weakHigh-high)
}

// Where the default prior of tau2 decides that a slow level is none phi is listed, and the rows tell too little of mu; where the level
// moves as much as the prior expects neither is up after some hundred rows: 60 series of each.
func TestPriorOfTau2IsDoubted(t *testing.T) {
	for name, c := range map[string]struct {
		of          series
		n           int
		few, listed [2]int
	}{
		"a slow level that hardly moves":      {series{phi: constantly(.98), tau: .12, sigma: .8}, 100, [2]int{52, 60}, [2]int{30, 60}},
		"a slow level that hardly moves, 200": {series{phi: constantly(.98), tau: .12, sigma: .8}, 200, [2]int{54, 60}, [2]int{20, 60}},
		"a level that hardly moves":           {series{phi: constantly(.8), tau: .1, sigma: 1}, 400, [2]int{0, 3}, [2]int{54, 60}},
		"one that moves":                      {series{phi: constantly(.8), tau: .5, sigma: .8}, 1200, [2]int{0, 0}, [2]int{0, 1}},
		"a slow one that moves":               {series{phi: constantly(.95), tau: .3, sigma: .6}, 1200, [2]int{0, 3}, [2]int{0, 0}},
	} {
		few, listed := 0, 0
		for rep := range uint64(60) {
			y, _ := c.of.make(400+rep, c.n)
			d := modeltest.Stepper{Model: withMean(t)}
			d.Must(t, rowsShard(y), 1)
			few += len(d.Model.(cdf.Flagger).AppendFlags(nil))
			got := []float64{0}
			d.Model.(*Model).PriorSensitivity(each(params)[:1], got)
			if got[0] > .35 {
				listed++
			}
		}
		t.Logf("%s: few returns %d, phi listed %d of 60", name, few, listed)
		if few < c.few[0] || few > c.few[1] || listed < c.listed[0] || listed > c.listed[1] {
			t.Errorf("%s: few returns %d, phi listed %d of 60", name, few, listed)
		}
	}
}

// Rows whose level is another at each cannot tell it from noise, and the prior of their variances does: intervals of 95 % hold the level in nine of ten of 200
// series, and it is listed in nine of ten and more. Where the level is told by the rows before it is listed in 1 % at most, rows without a response behind them or not.
func TestLevelByItsPrior(t *testing.T) {
	const all = 200
	for name, c := range map[string]struct {
		of           series
		n, missing   int
		held, listed [2]int
	}{
		"another at each row":       {series{phi: constantly(0), tau: .7, sigma: .7}, 100, 0, [2]int{165, 186}, [2]int{180, 200}},
		"another at each row, 400":  {series{phi: constantly(0), tau: .7, sigma: .7}, 400, 0, [2]int{165, 186}, [2]int{180, 200}},
		"one that returns":          {series{phi: constantly(.9), tau: .3, sigma: .7}, 400, 0, [2]int{182, 198}, [2]int{0, 2}},
		"one that moves":            {series{phi: constantly(.8), tau: .5, sigma: .5}, 400, 0, [2]int{182, 198}, [2]int{0, 2}},
		"one that moves, and a gap": {series{phi: constantly(.8), tau: .8, sigma: .3}, 400, 9, [2]int{182, 200}, [2]int{0, 2}},
	} {
		held, listed := 0, 0
		for rep := range uint64(all) {
			y, theta := c.of.make(700+rep, c.n+c.missing)
			for i := c.n; i < len(y); i++ {
				y[i] = math.NaN()
			}
			d := modeltest.Stepper{Model: withMean(t)}
			d.Must(t, rowsShard(y), 1)
			of := each(params)[thetaRow : thetaRow+1]
			row, got := modeltest.Summarize(t, d.Model, of)[0], []float64{0}
			if at := theta[len(y)-1]; row.Q025 <= at && at <= row.Q975 {
				held++
			}
			if d.Model.(*Model).PriorSensitivity(of, got); got[0] > .35 {
				listed++
			}
			if c.missing > 0 && got[0] != 0 {
				t.Fatalf("%s: a sensitivity of %v", name, got[0])
			}
		}
		t.Logf("%s: held in %d, listed in %d of %d", name, held, listed, all)
		if held < c.held[0] || held > c.held[1] || listed < c.listed[0] || listed > c.listed[1] {
			t.Errorf("%s: held in %d, listed in %d of %d", name, held, listed, all)
		}
	}
}

var _ cdf.PriorSensitive = (*Model)(nil)
