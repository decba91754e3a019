package draft

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/collinear"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models/kind"
)

const (
	// offMost and widerMost are how far a posterior may be from least squares, in standard
	// errors, and how many times as wide or as narrow, before a draft says so.
	offMost, widerMost = .2, 1.2
	// foldedWork bounds shards times the cube of coefficients of a comparison.
	foldedWork = 2e8
)

// own is what a draft has from the sample in place of defaults.
type own struct {
	settings any
	why      string
}

// distance is how far a posterior is from least squares.
type distance struct {
	off   float64 // of the coefficient that is the furthest, in standard errors
	wider float64 // of the one whose sd differs most, by its standard error, >= 1
	wide  bool    // it is too wide, not too narrow
}

func (d distance) material() bool { return d.off > offMost || d.wider > widerMost }

// match compares what a model learns of the sample with least squares, and takes centre,
// scale and priors from the sample where defaults lead elsewhere. spec is that of the draft;
// write writes the draft with what was taken, and returns its spec.
func (m *Model) match(spec *cdf.Spec, write func() (*cdf.Spec, error)) error {
	if !m.comparable() {
		return nil
	}
	fit, ok := m.profile.rows.Fit(&spec.Columns)
	if !ok {
		return nil
	}
	before, ok := m.furthest(spec, &fit)
	if !ok || !before.material() {
		return nil
	}
	m.own = &own{settings: m.Kind.Prior(m.scaled(&fit)), why: before.words()}
	with, err := write()
	if err != nil {
		return err
	}
	if after, ok := m.furthest(with, &fit); !ok || after.material() {
		m.own = nil // it is no better, and defaults are plainer
		_, err = write()
	}
	return err
}

// comparable reports whether least squares and the model are about the same: one key's rows,
// explained by listed columns.
func (m *Model) comparable() bool {
	return m.Kind.Prior != nil && m.formula == nil && len(m.profile.Keys) == 1 && count(m.columns, group, clock, dated) == 0
}

// scaled is a fit on the columns as the draft will centre and scale them.
func (m *Model) scaled(f *collinear.Fit) kind.Fit {
	unit := m.response.unit()
	k := kind.Fit{Free: f.Rows - len(f.Coefficients), Squares: f.Squares / square(unit.scale), Noise: f.Noise / square(unit.scale)}
	origin := f.Coefficients[0].Mean - unit.center
	for _, c := range f.Coefficients[1:] {
		x := constants{scale: 1}
		if c.Column != "" {
			x = m.profile.find(c.Column).unit()
		}
		origin += c.Mean * x.center
		k.Largest = max(k.Largest, square(c.Mean*x.scale/unit.scale)+square(c.SE*x.scale/unit.scale))
	}
	k.Intercept = square(origin / unit.scale)
	return k
}

func square(x float64) float64 { return x * x }

// furthest is the larger distance of two: in shards of which the first settles the units, and of
// all rows at once. What is drafted must not depend on how they are sent.
func (m *Model) furthest(spec *cdf.Spec, fit *collinear.Fit) (distance, bool) {
	some, ok := m.distance(spec, fit, usualShard)
	if !ok {
		return some, false
	}
	all, ok := m.distance(spec, fit, m.profile.Rows)
	if all.wider > some.wider {
		some.wider, some.wide = all.wider, all.wide
	}
	some.off = max(some.off, all.off)
	return some, ok
}

// distance folds the sample into a model, in shards of so many rows, and compares. False: it
// can't be.
func (m *Model) distance(spec *cdf.Spec, fit *collinear.Fit, shard int) (d distance, ok bool) {
	b, p := m.profile.rows.Batch(), float64(len(fit.Coefficients))
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
	of := map[string]*cdf.Row{}
	for i := range sum.Rows {
		of[sum.Rows[i].Variable] = &sum.Rows[i]
	}
	d.wider = 1
	for _, c := range fit.Coefficients {
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

// words say why a draft does not leave it to the defaults.
func (d distance) words() string {
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
	return "centre, scale and priors are those of the sample: the default ones would " + far
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
