package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/research/study"
)

// find returns a method's curve in a panel.
func find(t *testing.T, p *panel, method string) curve {
	t.Helper()
	i := slices.IndexFunc(p.curves, func(c curve) bool { return c.method == method })
	if i < 0 {
		t.Fatalf("no curve of %s", method)
	}
	return p.curves[i]
}

func TestAccuracyShowsMeansAndBands(t *testing.T) {
	d := fixed("linear")
	p, _ := accuracy(d)
	if len(p.panels) != 3 || !slices.Equal(p.methods(), []string{"cdf", "cdf-paper", "smcmc"}) {
		t.Fatalf("%d panels of %v", len(p.panels), p.methods())
	}
	for i := range p.panels {
		one := &p.panels[i]
		if !slices.Equal(one.across, []float64{.98}) || one.y.max != 1 {
			t.Errorf("%s: rules at %v, height up to %v", one.title, one.across, one.y.max)
		}
		c := find(t, one, "smcmc")
		var at []float64
		for _, r := range d.Results {
			if r.Method != "smcmc" || r.Metric != one.title {
				continue
			}
			k := len(at)
			if at = append(at, float64(r.T)); c.y[k] != r.Mean || c.half[k] != 1.96*r.SE {
				t.Errorf("%s at %d: %v +- %v, want %v +- %v", one.title, r.T, c.y[k], c.half[k], r.Mean, 1.96*r.SE)
			}
		}
		if !slices.Equal(c.x, []float64{50, 100, 200, 500}) || !slices.Equal(c.x, at) {
			t.Errorf("%s: at %v", one.title, c.x)
		}
	}
}

// One replication has no standard error and therefore no band.
func TestOneReplicationHasNoBand(t *testing.T) {
	d := fixed("linear")
	d.Size.Reps = 1
	for i := range d.Results {
		d.Results[i].SE = math.NaN()
	}
	p, _ := accuracy(d)
	if one := &p.panels[0]; len(one.band(&one.curves[0])) > 0 || math.IsNaN(one.y.min) {
		t.Errorf("a band, or no height: %v to %v", one.y.min, one.y.max)
	}
	if p.notes[0] != "One replication." {
		t.Errorf("says %q", p.notes)
	}
}

func TestDensitiesAreOfTheLastShards(t *testing.T) {
	d := fixed("linear")
	p, _ := densities(d)
	if len(p.panels) != 15 || p.columns != 3 {
		t.Fatalf("%d panels in %d columns", len(p.panels), p.columns)
	}
	for i, name := range []string{"beta[1]", "beta[2]", "beta[3]", "mu", "sigma2"} {
		row := p.panels[3*i : 3*i+3]
		for k := range row {
			one := &row[k]
			if one.x.label != name || one.x.log != (name == "sigma2") || !slices.Equal(one.up, []float64{1}) {
				t.Errorf("row %d: %q, logarithmic %t, truth at %v", i, one.x.label, one.x.log, one.up)
			}
			if one.x.min != row[0].x.min || one.x.max != row[0].x.max || !(one.x.min < 1 && one.x.max > 1) {
				t.Errorf("%s: from %v to %v, the first from %v to %v", name, one.x.min, one.x.max, row[0].x.min, row[0].x.max)
			}
			if len(one.curves) != 4 {
				t.Errorf("%s: %d curves", name, len(one.curves))
			}
			for j := range one.curves {
				one.title = p.panels[k].title // only the first row has it
				checkDensity(t, one, &one.curves[j], d.Drawn)
			}
		}
	}
	for i, title := range []string{"t = 100", "t = 200", "t = 500"} {
		if p.panels[i].title != title {
			t.Errorf("column %d is %q, want %q", i, p.panels[i].title, title)
		}
	}
}

// checkDensity checks that a curve, on its axis, has an area of 1 and the mean
// of the draws that it is of.
func checkDensity(t *testing.T, p *panel, c *curve, all []study.Drawn) {
	t.Helper()
	area, mean := 0.0, 0.0
	for i := 1; i < len(c.x); i++ {
		here, before := p.x.place(c.x[i]), p.x.place(c.x[i-1])
		mass := (here - before) * (c.y[i] + c.y[i-1]) / 2
		area, mean = area+mass, mean+mass*(here+before)/2
	}
	i := slices.IndexFunc(all, func(v study.Drawn) bool {
		return v.Method == c.method && v.Variable == p.x.label && "t = "+strconv.FormatInt(v.T, 10) == p.title
	})
	want := 0.0
	for _, v := range all[i].Draws {
		want += p.x.place(v) / float64(len(all[i].Draws))
	}
	if math.Abs(area-1) > 1e-3 || math.Abs(mean-want) > 1e-3 {
		t.Errorf("%s, %s: the density of %s has area %v and mean %v, want %v", p.x.label, p.title, c.method, area, mean, want)
	}
}

// A method that collapsed neither hides the others nor is passed over.
func TestDensitiesSayWhatTheyDoNotShow(t *testing.T) {
	d := fixed("linear")
	for i := range d.Drawn {
		v := &d.Drawn[i]
		for k := range v.Draws {
			switch {
			case v.T == 500 && v.Variable == "mu" && v.Method == "cdf-paper":
				v.Draws[k] = 1 + 1e-3*(v.Draws[k]-1)
			case v.T == 200 && v.Variable == "mu" && v.Method == "smcmc":
				v.Draws[k] = 1
			}
		}
	}
	p, _ := densities(d)
	want := []string{
		"One replication.", "Peaks above 2.5 times the median peak are cut off.",
		"Left out where draws have no spread: S-MCMC.",
	}
	if !slices.Equal(p.notes, want) {
		t.Errorf("says %q", p.notes)
	}
	mu := &p.panels[8] // the third row, at t = 500
	if peak := slices.Max(find(t, mu, "cdf").y); !(peak > mu.y.max/4 && peak < mu.y.max) {
		t.Errorf("a peak of %v in a panel of height %v", peak, mu.y.max)
	}
}

func TestWindowShowsCostsPerShard(t *testing.T) {
	d := fixed("adult")
	p, _ := window(d)
	if len(p.panels) != 5 || !slices.Equal(p.methods(), []string{"cdf", "cdf-paper", "smcmc"}) {
		t.Fatalf("%d panels of %v", len(p.panels), p.methods())
	}
	for i, metric := range []string{"seconds", "state_bytes", "accuracy", "relative_deviance", "relative_deviance"} {
		unit, at := []float64{100, 1e6, 1, 1, 1}[i], []int64{100, 100, 100, 50, 100}[i]
		c, flat := find(t, &p.panels[i], "cdf-paper"), find(t, &p.panels[i], "smcmc")
		for k, name := range []string{"cdf-paper[.05]", "cdf-paper[.07]", "cdf-paper", "cdf-paper[.20]"} {
			if want := d.at(name, metric, at).Mean / unit; c.y[k] != want {
				t.Errorf("%s of %s is %v, want %v", metric, name, c.y[k], want)
			}
		}
		if want := d.at("smcmc", metric, at).Mean / unit; !slices.Equal(flat.y, []float64{want, want}) {
			t.Errorf("%s of smcmc is %v, want %v", metric, flat.y, want)
		}
	}
}

// A logarithmic axis does not magnify what hardly differs.
func TestWindowKeepsSmallDifferencesSmall(t *testing.T) {
	d := fixed("adult")
	for i := range d.Results {
		if r := &d.Results[i]; r.Metric == "state_bytes" {
			r.Mean, r.SE = 5e5+float64(i), 0
		}
	}
	p, _ := window(d)
	if y := p.panels[1].y; math.Abs(y.max/y.min-2) > 1e-9 || !(y.min < .5 && y.max > .5) {
		t.Errorf("about .5 MB on an axis from %v to %v", y.min, y.max)
	}
}

// The windows are those that the experiment has.
func TestWindowsAreTheExperiments(t *testing.T) {
	const rows = 30_000
	e, _ := study.Lookup("adult")
	for _, rule := range []string{"cdf", "cdf-paper"} {
		for _, w := range windows {
			i := slices.IndexFunc(e.Methods, func(m study.Method) bool { return m.Name == rule+w.label })
			if i < 0 {
				t.Fatalf("no method %s%s", rule, w.label)
			}
			want := "window: " + strconv.Itoa(int(math.Round(w.share*rows)))
			if !slices.Contains(strings.Split(e.Methods[i].Settings, "\n"), want) {
				t.Errorf("%s%s has settings %q, want %s", rule, w.label, e.Methods[i].Settings, want)
			}
		}
	}
}

func TestLongShowsCoverageAndBias(t *testing.T) {
	d := fixed("probit-long")
	p, _ := long(d)
	if len(p.panels) != 2 || !slices.Equal(p.methods(), []string{"cdf", "cdf-paper"}) {
		t.Fatalf("%d panels of %v", len(p.panels), p.methods())
	}
	for i, metric := range []string{"coverage", "bias_sd"} {
		c := find(t, &p.panels[i], "cdf-paper")
		if want := d.at("cdf-paper", metric, 1600).Mean; c.y[len(c.y)-1] != want || !slices.Equal(c.x, []float64{100, 200, 400, 800, 1600}) {
			t.Errorf("%s at %v is %v, want %v at last", metric, c.x, c.y, want)
		}
	}
	if !slices.Equal(p.panels[0].across, []float64{.95}) || p.panels[1].across != nil {
		t.Errorf("rules at %v and %v", p.panels[0].across, p.panels[1].across)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis axis
		want string
	}{
		{axis{min: -.1, max: 1}, "0 0.5 1"},
		{axis{min: .82, max: 1}, "0.85 0.9 0.95 1"},
		{axis{min: 0, max: 38}, "0 10 20 30"},
		{axis{min: .03, max: 1.5, log: true}, "0.05 0.1 0.2 0.5 1"},
		{axis{min: 3e-5, max: .2, log: true}, "0.0001 0.001 0.01 0.1"},
		{axis{min: 23, max: 31, log: true}, "24 26 28 30"},
		{axis{min: 50, max: 500, log: true, ticks: []float64{50, 100, 500}}, "50 100 500"},
	} {
		var got []string
		for _, tick := range (ticks{&c.axis}).Ticks(0, 1) {
			got = append(got, tick.Label)
			if v, _ := strconv.ParseFloat(tick.Label, 64); math.Abs(tick.Value-c.axis.place(v)) > 1e-9 {
				t.Errorf("tick %s is at %v", tick.Label, tick.Value)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("ticks from %v to %v: %s, want %s", c.axis.min, c.axis.max, s, c.want)
		}
	}
}
