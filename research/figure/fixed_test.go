package figure

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/research/study"
)

// fixed are results that no simulation made. Every method is as far from the
// reference as its place among the looks says.
func fixed(experiment string) *Data {
	e, ok := study.Lookup(experiment)
	if !ok {
		panic("no experiment " + experiment)
	}
	d := &Data{Experiment: experiment, Size: study.Size{Reps: 10, Shards: e.Size.Shards}, Ceiling: .98}
	m := e.Measure(e.Size.Shards)
	for i := range e.Methods {
		name := e.Methods[i].Name
		off := float64(i) / float64(len(e.Methods))
		add := func(t int64, metric string, mean float64) {
			d.Results = append(d.Results, study.Result{
				Experiment: experiment, Method: name, T: t, Metric: metric, Mean: mean, SE: .02 * mean * (1 + off), Reps: 10,
			})
		}
		for _, t := range m.At {
			share := math.Sqrt(float64(t) / float64(e.Size.Shards))
			if name != e.Reference {
				for k, metric := range []string{"accuracy", "accuracy[mu]", "accuracy[sigma2]"} {
					add(t, metric, .97-off*(.2+.1*float64(k))*(1.5-share))
				}
				add(t, "bias_sd", .1+2*off*share)
				add(t, "relative_deviance", .1+off*share)
			}
			add(t, "coverage", .95-off*share)
		}
		add(e.Size.Shards, "seconds", 10*(.3+float64(i)))
		add(e.Size.Shards, "state_bytes", 1e6*(.5+float64(i)))
	}
	for i := range e.Methods {
		for _, t := range m.Many {
			d.Drawn = append(d.Drawn, drawn(e.Methods[i].Name, t, float64(i)/float64(len(e.Methods)))...)
		}
	}
	return d
}

// drawn are the posteriors of three parameters, one of three variables and one
// a variance, off sds from the truth.
func drawn(method string, t int64, off float64) []study.Drawn {
	r := rand.New(rand.NewPCG(uint64(t), uint64(off*1e6)))
	sd := 3 / math.Sqrt(float64(t))
	var out []study.Drawn
	for _, name := range []string{"beta[1]", "beta[2]", "beta[3]", "mu", "sigma2"} {
		v := study.Drawn{Method: method, T: t, Variable: name, Truth: 1, Draws: make([]float64, 2000)}
		for i := range v.Draws {
			v.Draws[i] = 1 + sd*(off+(1-off/2)*r.NormFloat64())
			if name == "sigma2" {
				v.Draws[i] = math.Exp(v.Draws[i] - 1)
			}
		}
		out = append(out, v)
	}
	return out
}

// without returns the data without what matches.
func without(d *Data, match func(*study.Result) bool) *Data {
	out := *d
	out.Results = nil
	for _, r := range d.Results {
		if !match(&r) {
			out.Results = append(out.Results, r)
		}
	}
	return &out
}
