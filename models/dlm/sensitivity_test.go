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
			phi, sd = w.phiMoments(&m.grid)
			gamma, _ := math.Lgamma(w.shape)
			return w.logZ + gamma, phi, sd
		}
		middle, _, sd := under(0, 0)
		tauUp, phiTauUp, _ := under(h, 0)
		tauDown, phiTauDown, _ := under(-h, 0)
		sigmaUp, phiSigmaUp, _ := under(0, h)
		sigmaDown, phiSigmaDown, _ := under(0, -h)
		want := [...]float64{
			phiRow:    max(math.Abs(phiTauUp-phiTauDown), math.Abs(phiSigmaUp-phiSigmaDown)) / (2 * h) / sd,
			tau2Row:   math.Sqrt(tauUp+tauDown-2*middle) / h,
			sigma2Row: math.Sqrt(sigmaUp+sigmaDown-2*middle) / h,
		}
		for i, v := range got {
			switch {
			case i > sigma2Row:
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
		if again.PriorSensitivity(f, back); back[phiRow] != got[phiRow] || back[tau2Row] != got[tau2Row] || back[sigma2Row] != got[sigma2Row] {
			t.Errorf("%s: restored %g, before %g", name, back, got)
		}
		d.Must(t, rowsShard(y[:1]), 1)
		if m.told.known {
			t.Errorf("%s: what was told outlives a shard", name)
		}
	}
}

var _ cdf.PriorSensitive = (*Model)(nil)
