package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// follows is all that follows from a factor of many rows.
type follows struct {
	s2, shape, evidence float64
	beta, covariance    []float64 // the latter lower triangular
}

func (m *Model) follows() follows {
	f := follows{m.s2, m.post.shape, m.LogEvidence(), slices.Clone(m.post.beta), nil}
	for i := range m.P {
		for j := range i + 1 {
			f.covariance = append(f.covariance, lin.Dot(lin.Row(m.post.m, m.P, i), lin.Row(m.post.m, m.P, j)))
		}
	}
	return f
}

// byForm is what follows by the bidiagonal form from the same factor.
func (m *Model) byForm(t *testing.T) follows {
	w := m.work()
	defer m.scratch.Put(w)
	m.post.known = false
	if !m.form(w) || !m.fixedPoint(w) {
		t.Fatal("no form")
	}
	return m.follows()
}

// The posterior by an expansion against that by the form, in the units of each number. The plug-in
// of the form is where its steps are below 1e-10.
func TestNear(t *testing.T) {
	expanded, faintly := 0, 0
	for _, p := range []int{nearColumns, 41, 72} {
		for _, how := range []string{"", "a large column", "next to no noise", "an offset", "constant columns", "nearly equal columns"} {
			m := newTest(t, p)
			d := modeltest.Stepper{Model: m}
			r := rand.New(rand.NewPCG(69, uint64(p)))
			for _, rows := range []int{9 * p, 3 * p, 10 * p, 40 * p} {
				d.Must(t, hardShard(r, rows, p, how), 0.999)
				m.forgot = false // so that there is evidence to compare
				if m.early() || m.post.s0 == 0 {
					continue
				}
				expanded++
				if !m.post.squared {
					faintly++
				}
				name := fmt.Sprintf("p=%d %s n=%v", p, how, m.n)
				expansion, top := m.post.near, m.s2
				got, want := m.follows(), m.byForm(t)
				near := func(what string, got, want, unit, tol float64) {
					t.Helper()
					if !(math.Abs(got-want) <= tol*unit) {
						t.Errorf("%s: %s is %v, by the form %v: %.1e", name, what, got, want, math.Abs(got-want)/unit)
					}
				}
				for _, s := range []float64{0.93 * top, top, 1.1 * top} {
					rss, effective := m.post.ridge(s)
					r, e := expansion.ridge(s)
					near("rss", r, rss, m.prior.Sigma2Rate+rss, 1e-12)
					near("effective", e, effective, effective, 1e-10)
					first, second := m.post.slopes(s)
					f, g := expansion.slopes(s)
					near("slope", f, first, effective, 1e-10)
					near("curvature", g, second, effective, 1e-9)
					near("pull", expansion.pull(s), m.post.pull(s), effective, 1e-9)
					if most := expansion.excess * max(1, s*s/(expansion.s0*expansion.s0)); !(rss-m.post.rho2 < most*(1+1e-6)+1e-12*rss) {
						t.Errorf("%s: rss at %v is %v above the least, at most %v", name, s, rss-m.post.rho2, most)
					}
				}
				near("the plug-in", got.s2, want.s2, want.s2, 5e-11)
				near("the shape", got.shape, want.shape, want.shape, 1e-12)
				near("the evidence", got.evidence, want.evidence, 1+math.Abs(want.evidence), 1e-12)
				for i := range p {
					sd := math.Sqrt(want.covariance[lin.PackedLen(i+1)-1])
					near(fmt.Sprintf("mean %d", i), got.beta[i], want.beta[i], sd+math.Abs(want.beta[i]), 5e-11)
					for j := range i + 1 {
						at := lin.PackedLen(i) + j
						near(fmt.Sprintf("covariance %d, %d", i, j), got.covariance[at], want.covariance[at],
							sd*math.Sqrt(want.covariance[lin.PackedLen(j+1)-1]), 5e-11)
					}
				}
			}
		}
	}
	if expanded < 20 || faintly < 4 || expanded-faintly < 15 {
		t.Errorf("%d posteriors were expanded, %d of them without M'M", expanded, faintly)
	}
}

// Whether and where a posterior is expanded, and where its plug-in is, follows from factor and rows alone: a model that goes on from its
// bytes publishes the same bits, and one whose plug-in was another before comes to the same.
func TestNearFollowsFromTheState(t *testing.T) {
	const p = 40
	m := newTest(t, p)
	d := modeltest.Stepper{Model: m}
	r := rand.New(rand.NewPCG(70, 1))
	for _, rows := range []int{20 * p, 3, 10 * p} {
		sh := modeltest.RegressionShard(r, rows, p, true)
		other := newTest(t, p)
		if m.n > 0 {
			if err := other.UnmarshalBinary(modeltest.State(t, m)); err != nil {
				t.Fatal(err)
			}
			other.s2 *= 1.5
			o := modeltest.Stepper{Model: other}
			o.Must(t, sh, 0.99)
		}
		d.Must(t, sh, 0.99)
		if m.n > float64(rows) {
			modeltest.SameState(t, m, other)
		}
		if m.post.s0 == 0 {
			t.Fatal("not expanded")
		}
		again := newTest(t, p)
		if err := again.UnmarshalBinary(modeltest.State(t, m)); err != nil {
			t.Fatal(err)
		}
		if got, want := modeltest.Published(t, again, sh), modeltest.Published(t, m, sh); got != want {
			t.Errorf("from the state:\n%s\nwithout:\n%s", got, want)
		}
	}
}

// A plug-in that is not the fixed point, as that of a state whose units have changed, is taken as it is.
func TestNearTakesThePlugInAsItIs(t *testing.T) {
	for _, how := range []string{"", "next to no noise"} {
		t.Run(how, func(t *testing.T) { plugInAsItIs(t, how) })
	}
}

func plugInAsItIs(t *testing.T, how string) {
	const p = 36
	m := newTest(t, p)
	d := modeltest.Stepper{Model: m}
	d.Must(t, hardShard(rand.New(rand.NewPCG(70, 2)), 40*p, p, how), 1)
	e := m.post.near
	if e.squared != (how == "") {
		t.Fatalf("M'M is known: %v", e.squared)
	}
	shift := 0.9 * math.Sqrt(nearby/e.trace[1]) // about as far as M is taken along
	still := math.Sqrt(unmoved / e.trace[1])    // as far as M is left as it is
	for _, factor := range []float64{1 + shift, 1 - shift, 1 + 0.9*still, 1 - 0.9*still, 1 + 1.1*still, 1.01, 3, 1e3} {
		m.s2 = factor * e.s0
		m.post.ready = false
		rows := modeltest.Summarize(t, m, modeltest.Coefficients(p))
		o := newSVDWay(t, m)
		c := make([]float64, p)
		for j := range p {
			c[j] = 1
			mean, variance := o.at(c, m.s2)
			modeltest.Within(t, fmt.Sprintf("%v times: mean %d", factor, j), rows[j].Mean, mean, 1e-10*math.Sqrt(variance))
			modeltest.Within(t, fmt.Sprintf("%v times: scale %d", factor, j), closedScale(m, j, j), variance, 1e-10*variance)
			c[j] = 0
		}
	}
}

// Of two states the plug-in may differ in its last digits, and in no more, and of many columns the factor.
func TestTakesRoundedPlugIn(t *testing.T) {
	for _, p := range []int{3, 36} {
		takesRounded(t, p)
	}
}

func takesRounded(t *testing.T, p int) {
	m, other := newTest(t, p), newTest(t, p)
	d := modeltest.Stepper{Model: m}
	d.Must(t, modeltest.RegressionShard(rand.New(rand.NewPCG(70, 3)), 20*p, p, true), 1)
	for _, c := range []struct {
		factor float64
		same   bool
	}{{1, true}, {1 + 1e-12, true}, {1 - 1e-10, true}, {1 + 1e-7, false}} {
		if err := other.UnmarshalBinary(modeltest.State(t, m)); err != nil {
			t.Fatal(err)
		}
		other.s2 *= c.factor
		if p > 32 {
			lin.Scale(-c.factor, other.r[:p+1]) // the first row
		}
		if got := other.TakeRounded(m); got != c.same {
			t.Errorf("%d columns, %v times: %v", p, c.factor, got)
		} else if got {
			modeltest.SameState(t, m, other)
		}
		if other.r[1] += 1e-14; p == 3 && other.TakeRounded(m) {
			t.Error("of few columns the factor may be another")
		}
	}
}

// A functional of many coefficients has the variance that their covariances say, as an intercept in the units of the data.
func TestManyCoefficients(t *testing.T) {
	const p = 12
	w := newWork(t, 400, p)
	w.Run(t)
	m := w.Model.(*Model)
	all := cdf.Functional{Name: "all"}
	for j := range p {
		all.Param, all.Weight = append(all.Param, j), append(all.Weight, 1/float64(j+1))
	}
	covariance := make([]float64, p*(p+1)/2)
	if err := m.Covariance(modeltest.Coefficients(p)[:p], covariance); err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for i := range p {
		for j := range p {
			want += all.Weight[i] * all.Weight[j] * covariance[max(i, j)*(max(i, j)+1)/2+min(i, j)]
		}
	}
	if got := modeltest.Summarize(t, m, []cdf.Functional{all})[0].SD; !(modeltest.Relative(got*got, want) < 1e-12) {
		t.Errorf("variance %v, want %v", got*got, want)
	}
}
