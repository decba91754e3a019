package try

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/web"
)

// mostRead bounds the posteriors that are read for the report: of a file those of the keys
// with the most rows, of a topic, whose rows nobody has counted, of the first keys.
const mostRead = 1000

// findings is what the posteriors of keys say together.
type findings struct {
	keys    int  // with a posterior, at most as many as a trial of a file has
	more    bool // there are others
	read    int  // of them
	effects []*effect
	groups  []estimate // of the only key
	others  []estimate // neither effect nor group, of the only key
	wholes  []*effect  // the same of several keys
	little  []string   // keys that know little
	flags   map[string]*raisedFlag
}

// effect is a coefficient across keys.
type effect struct {
	name   string
	of     []estimate // of keys that know more than the prior about it
	unsure int        // keys that don't
	size   float64    // of the median key, for one sd of the column
	unit   float64    // of the column, that the estimates are for; 0: 1
}

// estimate is one variable of one key.
type estimate struct {
	key, name           string
	mean, sd, low, high float64
	scale               float64 // of the column, 1 where it has none
}

// raisedFlag is a flag with the keys that raise it, and what to do.
type raisedFlag struct {
	name, advice string
	keys         []string
}

// findings reads the posteriors.
func (t *trial) findings(ctx context.Context, s *run.Service) (*findings, error) {
	keys, err := s.FirstKeys(ctx, t.mostKeys+1)
	if err != nil {
		return nil, err
	}
	more := len(keys) > t.mostKeys
	keys = keys[:min(len(keys), t.mostKeys)]
	f := &findings{keys: len(keys), more: more, flags: map[string]*raisedFlag{}}
	if t.census != nil {
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(t.census.keys[b], t.census.keys[a]) })
	}
	byName := map[string]*effect{}
	for _, key := range keys[:min(len(keys), t.mostRead)] {
		m, err := s.Model(ctx, key)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue // deleted meanwhile
		}
		f.read++
		f.add(m, byName, len(keys) == 1)
	}
	for _, e := range f.effects {
		e.size = median(e.of, func(x estimate) float64 { return math.Abs(x.mean) * x.scale })
		little := 1e-3 // with more zeros a number is hard to read
		if t.model.Kind.Response == kind.Count {
			little = .01 // and a factor hard to tell from 1
		}
		e.enlarge(little)
	}
	slices.SortStableFunc(f.effects, func(a, b *effect) int {
		return cmp.Or(cmp.Compare(min(b.sure(), 1), min(a.sure(), 1)), cmp.Compare(b.size, a.size))
	})
	slices.SortStableFunc(f.groups, func(a, b estimate) int { return cmp.Compare(b.mean, a.mean) })
	return f, nil
}

// known parts the effects that some key knows from the names of the others.
func (f *findings) known() (effects []*effect, unknown []string) {
	for _, e := range f.effects {
		if len(e.of) > 0 {
			effects = append(effects, e)
		} else {
			unknown = append(unknown, e.name)
		}
	}
	return effects, unknown
}

// strength is how many sds of its posterior the effect is from 0, in the median key.
func (e *effect) strength() float64 {
	return median(e.of, func(x estimate) float64 { return math.Abs(x.mean) / x.sd })
}

// outranked are those of the effects that are not shown which outrank all, or the last, of
// those that are: the strongest in sds and the largest, nil where there is none.
func outranked(shown, hidden []*effect) (strongest, largest *effect) {
	if len(shown) == 0 || len(hidden) == 0 {
		return nil, nil
	}
	strength, size := func(a, b *effect) int { return cmp.Compare(a.strength(), b.strength()) }, func(a, b *effect) int { return cmp.Compare(a.size, b.size) }
	if e := slices.MaxFunc(hidden, strength); strength(e, slices.MaxFunc(shown, strength)) > 0 {
		strongest = e
	}
	if e := slices.MaxFunc(hidden, size); size(e, slices.MinFunc(shown, size)) > 0 {
		largest = e
	}
	return strongest, largest
}

// add takes the posterior of a key into account.
func (f *findings) add(m *web.Model, byName map[string]*effect, only bool) {
	p := m.Posterior
	s := p.Summary
	scales := map[string]float64{}
	for _, c := range s.Scaling {
		scales[c.Column] = c.Scale
	}
	known, vague := 0, 0
	for i := range s.Rows {
		e := estimateOf(p.Key, &s.Rows[i], scales)
		family, inner := split(s.Rows[i].Variable)
		coefficient := family == "beta" || family == "gamma" // those of compressed
		if !coefficient && math.IsNaN(e.mean) {
			// There is none, as of tau2 of two groups.
			e.mean = s.Rows[i].Median
		}
		switch {
		case coefficient && inner == cdf.InterceptName:
		case coefficient && strings.HasSuffix(inner, "=__other__") && slices.Contains(s.PriorDominated, s.Rows[i].Variable):
			// No row of such a level came, or few.
		case coefficient:
			e.name = inner
			of := byName[s.Rows[i].Variable]
			if of == nil {
				of = &effect{name: inner}
				byName[s.Rows[i].Variable] = of
				f.effects = append(f.effects, of)
			}
			// What is far from 0 under a prior around 0 the rows have said.
			if slices.Contains(s.PriorDominated, s.Rows[i].Variable) && !e.sure() || math.IsNaN(e.mean) {
				of.unsure++
				vague++
				continue
			}
			known++
			of.of = append(of.of, e)
		case only && inner != "":
			f.groups = append(f.groups, e)
		case only:
			f.others = append(f.others, e)
		case inner == "" && !math.IsNaN(e.mean):
			of := byName[e.name]
			if of == nil {
				of = &effect{name: e.name}
				byName[e.name] = of
				f.wholes = append(f.wholes, of)
			}
			of.of = append(of.of, e)
		}
	}
	if vague > known || known+vague == 0 && 2*len(s.PriorDominated) > len(s.Rows) {
		f.little = append(f.little, p.Key)
	}
	for _, flag := range s.Flags {
		f.raise(flag, p.Key, m.Rule.Spec)
	}
}

func (f *findings) raise(flag, key string, spec *cdf.Spec) {
	r := f.flags[flag]
	if r == nil {
		r = &raisedFlag{name: flag, advice: pipeline.Advise(flag, spec.Settings)}
		f.flags[flag] = r
	}
	r.keys = append(r.keys, key)
}

func estimateOf(key string, r *cdf.Row, scales map[string]float64) estimate {
	_, inner := split(r.Variable)
	e := estimate{key: key, name: r.Variable, mean: r.Mean, sd: r.SD, low: r.Q025, high: r.Q975, scale: 1}
	if scale, ok := scales[inner]; ok && scale > 0 {
		e.scale = scale
	}
	return e
}

// split takes a variable's name apart: beta[price] is beta of price, sigma2 of nothing.
func split(variable string) (family, of string) {
	family, rest, ok := strings.Cut(variable, "[")
	if !ok {
		return variable, ""
	}
	return family, strings.TrimSuffix(rest, "]")
}

// enlarge takes a power of ten of the column as the unit of the estimates, where those for
// one of the column's own are below a size.
func (e *effect) enlarge(little float64) {
	scale := median(e.of, func(x estimate) float64 { return x.scale })
	if len(e.of) == 0 || scale < 10 || e.size >= little*scale {
		return
	}
	e.unit = math.Pow(10, math.Floor(math.Log10(scale)))
	for i := range e.of {
		x := &e.of[i]
		x.mean, x.sd, x.low, x.high = x.mean*e.unit, x.sd*e.unit, x.low*e.unit, x.high*e.unit
	}
}

// factorOf is a factor with its arguments, before a level.
var factorOf = regexp.MustCompile(`C\(([^,()'"]+), (?:[^'"()]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*\)\[`)

// label is the name of an effect as the report has it: of a factor without the list of its
// levels, and with the unit where that is not 1.
func (e *effect) label() string {
	text := show(factorOf.ReplaceAllString(e.name, "$1["))
	if e.unit > 0 {
		text += " (per " + cli.Count(int64(e.unit)) + ")"
	}
	return text
}

// sure is how many keys know the sign.
func (e *effect) sure() (n int) {
	for _, x := range e.of {
		if x.sure() {
			n++
		}
	}
	return n
}

// sure reports whether the 95 % interval says which sign it has.
func (e estimate) sure() bool { return e.low > 0 || e.high < 0 }

// positive is the probability that the variable is above 0, of a normal law with its
// mean and sd.
func (e estimate) positive() float64 { return math.Erfc(-e.mean/e.sd/math.Sqrt2) / 2 }

// quantile returns the q-quantile of a figure across estimates, 0 of none.
func quantile(all []estimate, q float64, figure func(estimate) float64) float64 {
	if len(all) == 0 {
		return 0
	}
	x := make([]float64, len(all))
	for i := range all {
		x[i] = figure(all[i])
	}
	slices.Sort(x)
	at := q * float64(len(x)-1)
	i := min(int(at), len(x)-2)
	if i < 0 {
		return x[0]
	}
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}

func median(all []estimate, figure func(estimate) float64) float64 { return quantile(all, .5, figure) }

func mean(e estimate) float64 { return e.mean }
