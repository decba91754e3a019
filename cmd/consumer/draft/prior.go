package draft

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/collinear"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models/kind"
)

const (
	// offMost and widerMost are how far a posterior may be from least squares, in standard
	// errors, and how many times as wide or as narrow, before a draft says so.
	offMost, widerMost = .2, 1.2
	// offKeys is that of several keys: of few rows each a prior draws effects to 0 by as much as that, and should.
	offKeys = 1
	// foldedWork bounds shards times the cube of coefficients of a comparison.
	foldedWork = 2e8
	// comparedWork bounds rows times the square of coefficients, of all keys but the first.
	comparedWork = 3e8
	// mostKeys is how many keys are compared.
	mostKeys = 20
)

// own is what a draft has from the sample in place of defaults.
type own struct {
	settings any
	constant bool // centre and scale too; else they are learnt from the first rows of each key
	why      string
}

// sample are the rows of a key, and what least squares say of them.
type sample struct {
	batch   *cdf.Batch
	fit     collinear.Fit
	scaling []cdf.Constant // that a model had when it was folded first
}

// distance is how far a posterior is from least squares.
type distance struct {
	off   float64 // of the coefficient that is the furthest, in standard errors
	wider float64 // of the one whose sd differs most, by its standard error, >= 1
	wide  bool    // it is too wide, not too narrow
}

func (d distance) material(off float64) bool { return d.off > off || d.wider > widerMost }

// match compares what a model learns of the sample with least squares, and takes priors from
// the sample where defaults lead elsewhere: of one key's columns also centre and scale. spec is that of the
// draft; write writes the draft with what was taken, and returns its spec.
func (m *Model) match(spec *cdf.Spec, write func() (*cdf.Spec, error)) error {
	if !m.comparable() {
		return nil
	}
	all := m.samples(spec)
	before, ok := furthest(spec, all)
	if !ok || !before.material(m.off()) {
		return nil
	}
	for _, m.own = range m.owns(spec, all, before) {
		with, err := write()
		if err != nil {
			return err
		}
		if after, ok := furthest(with, all); ok && !after.material(m.off()) {
			return nil
		}
	}
	m.own = nil // it is no better, and defaults are plainer
	_, err := write()
	return err
}

// comparable reports whether least squares and the model are about the same: rows of a key that are
// explained by columns or by a formula.
func (m *Model) comparable() bool {
	return m.Kind.Prior != nil && count(m.columns, group, clock) == 0
}

// off is how far an effect may be from least squares.
func (m *Model) off() float64 {
	if len(m.profile.Keys) > 1 {
		return offKeys
	}
	return offMost
}

// samples are those of the keys that have the most rows, as far as they are enough for a fit.
func (m *Model) samples(spec *cdf.Spec) (all []sample) {
	spent := 0.
	for _, rows := range m.profile.rows.Keyed(mostKeys) {
		fit, ok := rows.Fit(&spec.Columns)
		if !ok {
			continue
		}
		if spent += float64(fit.Rows) * square(float64(len(fit.Coefficients))); len(all) > 0 && spent > comparedWork {
			break
		}
		all = append(all, sample{batch: rows.Batch(), fit: fit})
	}
	return all
}

// owns are what a draft may take from the sample, the least first: of one key's columns centre, scale and
// priors. Keys have units of their own, and what a formula makes of columns has no constants: there it is the prior
// of the noise: of the key in the middle, or of one with less, which does keys of more noise no harm. If that is not enough
// it is also that of the effects.
func (m *Model) owns(spec *cdf.Spec, all []sample, before distance) []*own {
	if m.formula == nil && len(m.profile.Keys) == 1 {
		unit := func(column string) constants { return m.profile.find(column).unit() }
		return []*own{{settings: m.Kind.Prior(scaled(&all[0].fit, m.response.name, unit)), constant: true, why: "centre, scale and " + before.words("")}}
	}
	var fits []kind.Fit
	for i := range all {
		fits = append(fits, scaled(&all[i].fit, spec.Columns.Response.Name, all[i].unit))
	}
	slices.SortFunc(fits, func(a, b kind.Fit) int { return cmp.Compare(a.Noise, b.Noise) })
	where := ""
	if len(m.profile.Keys) > 1 {
		where = ", in a quarter of the keys,"
	}
	take := func(f kind.Fit) *own { return &own{settings: m.Kind.Prior(f), why: before.words(where)} }
	usual, quiet := fits[len(fits)/2], fits[len(fits)/4]
	pool := quiet
	usual.Largest, usual.Intercept, quiet.Largest, quiet.Intercept = 0, 0, 0, 0
	for _, f := range fits {
		pool.Largest, pool.Intercept = max(pool.Largest, f.Largest), max(pool.Intercept, f.Intercept)
	}
	return []*own{take(usual), take(quiet), take(pool)}
}

// unit is the centre and scale that a model has of a column.
func (s *sample) unit(column string) constants {
	for _, c := range s.scaling {
		if c.Column == column {
			return constants{c.Center, c.Scale}
		}
	}
	return constants{scale: 1}
}

// scaled is a fit on columns with centre and scale.
func scaled(f *collinear.Fit, response string, of func(column string) constants) kind.Fit {
	unit := of(response)
	k := kind.Fit{Free: f.Rows - len(f.Coefficients), Squares: f.Squares / square(unit.scale), Noise: f.Noise / square(unit.scale)}
	origin := f.Coefficients[0].Mean - unit.center
	for _, c := range f.Coefficients[1:] {
		x := constants{scale: 1}
		if c.Column != "" {
			x = of(c.Column)
		}
		origin += c.Mean * x.center
		k.Largest = max(k.Largest, square(c.Mean*x.scale/unit.scale)+square(c.SE*x.scale/unit.scale))
	}
	k.Intercept = square(origin / unit.scale)
	return k
}

func square(x float64) float64 { return x * x }

// furthest is how far a quarter of the samples are at least, of few the one that is the furthest. False: there is none.
func furthest(spec *cdf.Spec, all []sample) (distance, bool) {
	var each []distance
	for i := range all {
		d, ok := all[i].furthest(spec)
		if !ok {
			return d, false
		}
		each = append(each, d)
	}
	if len(each) == 0 {
		return distance{}, false
	}
	at := len(each) - 1 - len(each)/4
	slices.SortFunc(each, func(a, b distance) int { return cmp.Compare(a.off, b.off) })
	off := each[at].off
	slices.SortFunc(each, func(a, b distance) int { return cmp.Compare(a.wider, b.wider) })
	d := each[at]
	d.off = off
	return d, true
}

// furthest is the larger distance of two: in shards of which the first settles the units, and of
// all rows at once. What is drafted must not depend on how they are sent.
func (s *sample) furthest(spec *cdf.Spec) (distance, bool) {
	some, ok := s.distance(spec, usualShard)
	if !ok {
		return some, false
	}
	all, ok := s.distance(spec, max(1, s.batch.Rows))
	if all.wider > some.wider {
		some.wider, some.wide = all.wider, all.wide
	}
	some.off = max(some.off, all.off)
	return some, ok
}

// distance folds the sample into a model, in shards of so many rows, and compares. False: it
// can't be.
func (s *sample) distance(spec *cdf.Spec, shard int) (d distance, ok bool) {
	b, p := s.batch, float64(len(s.fit.Coefficients))
	shard = max(shard, int(float64(b.Rows)*p*p*p/foldedWork))
	filter := cdf.NewFilter(spec, "")
	for lo := 0; lo < b.Rows; lo += shard {
		if _, err := filter.Update(part(b, lo, min(lo+shard, b.Rows))); err != nil {
			return d, false
		}
	}
	sum, err := filter.Summary()
	if err != nil {
		return d, false
	}
	if s.scaling == nil {
		s.scaling = sum.Scaling
	}
	of := map[string]*cdf.Row{}
	for i := range sum.Rows {
		of[sum.Rows[i].Variable] = &sum.Rows[i]
	}
	d.wider = 1
	for _, c := range s.fit.Coefficients {
		r := of["beta["+c.Name+"]"]
		if r == nil {
			return d, false
		}
		d.off = max(d.off, math.Abs(r.Mean-c.Mean)/c.SE)
		if ratio := r.SD / c.SE; max(ratio, 1/ratio) > d.wider {
			d.wider, d.wide = max(ratio, 1/ratio), ratio > 1
		}
	}
	return d, true
}

// part are some rows of a batch, which it shares.
func part(b *cdf.Batch, lo, hi int) *cdf.Batch {
	some := &cdf.Batch{Rows: hi - lo}
	for _, c := range b.Columns {
		if c.Number != nil {
			c.Number = c.Number[lo:hi]
		}
		if c.Int != nil {
			c.Int = c.Int[lo:hi]
		}
		if c.Code != nil {
			c.Code = c.Code[lo:hi]
		}
		some.Columns = append(some.Columns, c)
	}
	return some
}

// words say why a draft does not leave it to the defaults, and where.
func (d distance) words(where string) string {
	far := fmt.Sprintf("put an effect %s standard errors from that of least squares", fold(d.off))
	wide := "narrow"
	if d.wide {
		wide = "wide"
	}
	width := fmt.Sprintf("make an interval %s times as %s", fold(d.wider), wide)
	switch {
	case d.wider <= widerMost:
	case d.off <= offMost:
		far = width
	default:
		far += " and " + width
	}
	return "priors are those of the sample: the default ones would" + where + " " + far
}

// fold writes how many times, with no more digits than mean something.
func fold(x float64) string {
	if x >= 10 {
		return cli.Count(int64(x))
	}
	return number(round(x, 2))
}

// constants are centre and scale of a column of numbers.
type constants struct{ center, scale float64 }

// unit is the centre and scale of the sample, with the digits that matter: 0 and 1 of what is
// 0 or 1, or always the same.
func (c *column) unit() constants {
	sd := c.sd()
	if c.binary() || !(sd > 0) || math.IsInf(sd, 0) {
		return constants{scale: 1}
	}
	// The centre matters as far as the scale does.
	unit := math.Pow(10, math.Floor(math.Log10(sd))-1)
	return constants{center: round(math.Round(c.mean/unit)*unit, 12), scale: round(sd, 2)}
}

// long is the form of a column whose centre and scale are known, false where it has none.
func (c *column) long() (feature, bool) {
	u := c.unit()
	return feature{Name: c.name, Center: &u.center, Scale: &u.scale}, u != constants{scale: 1}
}
