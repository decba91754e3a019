package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/research/measure"
)

// seen is what one replicate's summary says about one parameter, which may
// have several variables.
type seen struct {
	covered float64 // share of its variables whose 95 % interval has the truth
	z2      float64 // mean square of (truth - mean) / sd, NaN where undefined
}

// outcome is one replicate: of the parameters after the first shard and after
// the last, with the flags that were up.
type outcome struct {
	seen  [2][]seen
	flags [2][]string
	// singles are the effects that averages hide.
	singles [2][effects]single
	beside  []beside // of the parameters, in a drawn regime whose stream has no flag
}

// found is all replicates of a regime.
type found struct {
	params   []string
	outcomes []outcome
}

// looks are the names of the summaries that are looked at.
var looks = [2]string{"first shard", "tenth shard"}

// measure runs the replicates on all cores. The outcome of each is a function of
// the seed, the regime and its number.
func (g *regime) measure(ctx context.Context, seed uint64) (*found, error) {
	k, ok := models.Lookup(g.kind)
	if !ok {
		return nil, fmt.Errorf("no kind %s", g.kind)
	}
	columns := g.columns
	columns.Scaling = "first"
	spec, err := k.Spec("", columns, strictyaml.Decode(g.settings))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.title(), err)
	}
	spec.Seed, spec.Limits = seed, cdf.Limits{}
	f := &found{outcomes: make([]outcome, g.replicates)}
	for _, t := range g.experiment(seed, 0).truth {
		if p := param(t.Variable); !slices.Contains(f.params, p) {
			f.params = append(f.params, p)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range f.outcomes {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if f.outcomes[i], err = g.once(spec, seed, i, f.params); err != nil {
				return fmt.Errorf("%s, replicate %d: %w", g.title(), i, err)
			}
			return nil
		})
	}
	return f, group.Wait()
}

func (g *regime) experiment(seed uint64, i int) experiment {
	return g.simulate(cdf.NewStream(seed, g.title(), int64(i), "regime"))
}

func (g *regime) once(spec *cdf.Spec, seed uint64, i int, params []string) (o outcome, err error) {
	e := g.experiment(seed, i)
	f := cdf.NewFilter(spec, fmt.Sprintf("%s/%d", g.title(), i))
	for t, b := range e.shards {
		sum, err := f.Update(b)
		if err != nil {
			return o, err
		}
		if t == 0 {
			o.note(0, g, &e, sum, params)
		}
		if t == len(e.shards)-1 {
			o.note(1, g, &e, sum, params)
			if g.byName && len(o.flags[1]) == 0 {
				if o.beside, err = compare(spec, &e, sum, params); err != nil {
					return o, err
				}
			}
		}
	}
	return o, nil
}

// note keeps what a summary says about the truth.
func (o *outcome) note(look int, g *regime, e *experiment, sum *cdf.Summary, params []string) {
	list := make([]seen, len(params))
	counts := make([]float64, len(params))
	for _, t := range e.truth {
		at := slices.IndexFunc(sum.Rows, func(r cdf.Row) bool { return r.Variable == t.Variable })
		if at < 0 {
			continue // a level without a row as yet
		}
		if g.byName && slices.Contains(sum.PriorDominated, t.Variable) {
			continue
		}
		r, p := &sum.Rows[at], slices.Index(params, param(t.Variable))
		z := (t.Value - r.Mean) / r.SD
		if r.Q025 <= t.Value && t.Value <= r.Q975 {
			list[p].covered++
		}
		list[p].z2 += z * z
		counts[p]++
	}
	for p := range list {
		list[p].covered /= counts[p]
		list[p].z2 /= counts[p]
	}
	o.singles[look] = singles(e.truth, sum)
	o.seen[look], o.flags[look] = list, slices.Clone(sum.Flags)
	if len(sum.WeakMixing) > 0 {
		o.flags[look] = append(o.flags[look], "weak_mixing")
	}
	if len(sum.PriorDominated) > 0 && !g.byName {
		o.flags[look] = append(o.flags[look], "prior_dominated")
	}
}

// param is the name of a variable without what is in brackets.
func param(variable string) string {
	name, _, _ := strings.Cut(variable, "[")
	return name
}

// cell is a parameter after one of the looks.
type cell struct {
	coverage, se float64
	ratio        float64 // of the published sd to the root mean square error, NaN where no sd exists
	said         float64 // share of the replicates that say something of it
}

func (f *found) cell(look, param int) cell {
	var c, z []float64
	for i := range f.outcomes {
		s := f.outcomes[i].seen[look][param]
		if !math.IsNaN(s.covered) {
			c = append(c, s.covered)
		}
		if !math.IsNaN(s.z2) {
			z = append(z, s.z2)
		}
	}
	mean, se := measure.MeanSE(c)
	square, _ := measure.MeanSE(z)
	return cell{coverage: mean, se: se, ratio: 1 / math.Sqrt(square), said: float64(len(c)) / float64(len(f.outcomes))}
}

// raised returns, for each flag that was up after a look, its share of the replicates,
// and the share in which any was.
func (f *found) raised(look int) (names []string, shares map[string]float64, any float64) {
	shares = map[string]float64{}
	n := float64(len(f.outcomes))
	for i := range f.outcomes {
		flags := f.outcomes[i].flags[look]
		for _, name := range flags {
			if shares[name] == 0 {
				names = append(names, name)
			}
			shares[name] += 1 / n
		}
		if len(flags) > 0 {
			any += 1 / n
		}
	}
	slices.Sort(names)
	return names, shares, any
}

// off reports whether coverage is outside .93 to .97 by more than three standard
// errors, or some truths are so far out that the sd is less than .8 of what it
// should be.
func (c cell) off() bool {
	return c.short() || !(c.coverage < .97+3*c.se)
}

// short is off where intervals promise more than they hold.
func (c cell) short() bool {
	return !(c.coverage > .93-3*c.se) || c.ratio < .8
}

// silent returns the replicates without a flag after a look.
func (f *found) silent(look int) *found {
	s := &found{params: f.params}
	for _, o := range f.outcomes {
		if len(o.flags[look]) == 0 {
			s.outcomes = append(s.outcomes, o)
		}
	}
	return s
}

// tells is the verdict where nothing is true: "flagged" where 95 % of the replicates have a flag
// in the end.
func (f *found) tells() string {
	if _, _, any := f.raised(1); any >= .95 {
		return "flagged"
	}
	return "off"
}

// verdicts, the worst last.
var verdicts = []string{"covered", "wide", "flagged", "off"}

// verdict is the worst of what the parameters have at both looks: "flagged" where one is off and 95 % of the
// replicates have a flag, or where intervals are short and those of the replicates without a flag are not; "wide" where one
// holds the truth too often; else "off".
func (f *found) verdict() string { return f.verdictFrom(0) }

// mostlyListed is the share of the replicates that leave a parameter unlisted below which it is told: that data seem to decide it
// in a few is their selection.
const mostlyListed = .2

// verdictFrom is the verdict of a look and those after it.
func (f *found) verdictFrom(first int) string {
	if len(f.params) == 0 {
		return f.tells()
	}
	worst := 0
	for look := first; look < len(looks); look++ {
		_, _, any := f.raised(look)
		silent := f.silent(look)
		for p := range f.params {
			is := "covered"
			switch c := f.cell(look, p); {
			case !c.off(), c.said < mostlyListed:
			case any >= .95:
				is = "flagged"
			case !c.short():
				is = "wide"
			case !silent.cell(look, p).short():
				is = "flagged"
			default:
				is = "off"
			}
			worst = max(worst, slices.Index(verdicts, is))
		}
	}
	return verdicts[worst]
}

// untold reports whether a parameter is off after a look, and no flag says so in 95 % of the replicates.
func (f *found) untold(look int) bool {
	if _, _, any := f.raised(look); any >= .95 {
		return false
	}
	for p := range f.params {
		if f.cell(look, p).off() {
			return true
		}
	}
	return false
}
