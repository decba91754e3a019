package models

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// By hand: keys of settings drawn at random, and beside them the posterior that the model's page says they have, from the rows as
// they were sent by sums over a dense grid. Nothing here is shared with the models.

// handRow is a row that was absorbed, or is to be predicted, before its columns are scaled.
type handRow struct {
	x      []float64 // without the intercept
	y      float64   // NaN: none
	weight float64
	shard  int
}

// handKey is a key's configuration and what is known of it by hand.
type handKey struct {
	chance
	about    string
	spec     *cdf.Spec
	columns  []handColumn
	names    []string // of x, as in beta[name]
	numbers  []int    // of x: which column it is a number of, -1 of a level
	rows     []handRow
	dropped  int64
	shards   int
	frozen   bool
	cx, sx   []float64 // constants of x
	cy, sy   float64
	unit, at float64 // of the response
	signal   float64
}

// handColumn is a feature.
type handColumn struct {
	feature     cdf.Feature
	sort        string // number, zeros, same, copy, level
	shift, unit float64
	labels      []string // that may come
	missing     float64  // part that has no value
}

func power(r chance, most float64) float64 {
	if r.of(.5) {
		return 1
	}
	return math.Pow(10, most*(2*r.Float64()-1))
}

// unitOfResponse draws the unit and the place of measurements that come without columns, and constants that are given.
func unitOfResponse(r chance, roles *cdf.Roles) (unit, at float64) {
	unit = 1
	if roles.Scaling == "first" {
		unit, at = power(r, 9), choose(r, []float64{0, 3, -50})
	}
	if r.of(.2) {
		v := unit * (at + r.NormFloat64())
		roles.Response.Center = &v
	}
	if r.of(.2) {
		v := unit * math.Exp(r.NormFloat64())
		roles.Response.Scale = &v
	}
	return unit, at
}

// where returns what says of an error after which shard it was found.
func (k *handKey) where(sum *cdf.Summary) func(error) error {
	return func(err error) error {
		return fmt.Errorf("shard %d, %d rows, flags %v, dominated %v: %w", k.shards, len(k.rows), sum.Flags, sum.PriorDominated, err)
	}
}

// newHandKey draws features and what is common to kinds with an intercept.
func newHandKey(seed, stream uint64, most int) *handKey {
	k := &handKey{chance: newChance(seed, stream), unit: 1, sy: 1}
	n := k.IntN(most + 1)
	scaled := k.of(.7)
	for j := range n {
		c := handColumn{feature: cdf.Feature{Name: fmt.Sprint("x", j)}, sort: choose(k.chance, []string{"number", "number", "number", "zeros", "same", "copy", "level"}), unit: 1}
		if scaled {
			c.unit, c.shift = power(k.chance, 9), choose(k.chance, []float64{0, 1, -30})
		} else if k.of(.2) {
			c.unit = power(k.chance, 2)
		}
		if k.of(.15) {
			c.missing = .1
		}
		if c.sort == "level" {
			c.labels = []string{"a", "b", "c", "d"}[:2+k.IntN(3)]
			if k.of(.4) {
				c.feature.LevelsFirst = true
			} else {
				c.feature.Levels = []string{"b", "a", "never"}
				c.feature.Baseline = choose(k.chance, c.feature.Levels)
			}
			c.feature.Other = choose(k.chance, []string{"level", "drop", "reject"})
		} else if k.of(.15) {
			center, scale := c.unit*(c.shift+k.NormFloat64()), c.unit*math.Exp(k.NormFloat64())
			if k.of(.7) {
				c.feature.Center = &center
			}
			if k.of(.7) {
				c.feature.Scale = &scale
			}
		}
		k.columns = append(k.columns, c)
	}
	k.signal = choose(k.chance, []float64{0, .3, 1, 5})
	if scaled {
		k.unit, k.at = power(k.chance, 9), choose(k.chance, []float64{0, 2, -50})
	}
	return k
}

// roles returns those of the key.
func (k *handKey) roles(intercept bool) cdf.Roles {
	r := cdf.Roles{Scaling: "none", Response: cdf.Feature{Name: "y"}, Features: []cdf.Feature{}, Intercept: intercept}
	if k.unit != 1 || k.of(.7) {
		r.Scaling = "first"
	}
	for i := range k.columns {
		if k.columns[i].unit > 100 || k.columns[i].unit < .01 {
			r.Scaling = "first"
		}
		r.Features = append(r.Features, k.columns[i].feature)
	}
	return r
}

// specify makes the spec.
func (k *handKey) specify(kind, variant string, roles cdf.Roles, settings string) error {
	model, _ := Lookup(kind)
	spec, err := model.Spec(variant, roles, strictyaml.Decode(settings))
	if err != nil {
		return err
	}
	spec.Missing = choose(k.chance, []string{"drop", "level", "reject"})
	spec.ForgetPer = cdf.Clock{Unit: choose(k.chance, []string{"shard", "row", "duration"}), Millis: 1000}
	if k.of(.35) {
		spec.Forget = choose(k.chance, []float64{.5, .9, .99, .999})
	}
	k.spec = spec
	k.about = fmt.Sprintf("%s %s %s scaling %s intercept %v response %+v missing %s forget %v per %s", kind, variant, settings, roles.Scaling, roles.Intercept, said(roles.Response), spec.Missing, spec.Forget, spec.ForgetPer.Unit)
	for i := range k.columns {
		c := &k.columns[i]
		k.about += fmt.Sprintf("\n\t%s (%s %g %g) levels %v first %v baseline %q other %q", said(c.feature), c.sort, c.shift, c.unit, c.feature.Levels, c.feature.LevelsFirst, c.feature.Baseline, c.feature.Other)
	}
	return nil
}

func said(f cdf.Feature) string {
	s := f.Name
	if f.Center != nil {
		s += fmt.Sprint(" center ", *f.Center)
	}
	if f.Scale != nil {
		s += fmt.Sprint(" scale ", *f.Scale)
	}
	return s
}

// batch draws rows of the key's columns, and the effects that they have.
func (k *handKey) batch(rows int, respond func(effect float64) float64) *cdf.Batch {
	b := &cdf.Batch{Rows: rows, Time: 1_700_000_000_000 + int64(k.shards)*700}
	effects := make([]float64, rows)
	var first []float64
	for j := range k.columns {
		c := &k.columns[j]
		slope := k.signal * math.Cos(float64(7*j+1))
		if c.sort == "level" {
			col := cdf.Column{Name: c.feature.Name, Type: cdf.Text, Levels: c.labels}
			for i := range rows {
				code := int32(k.IntN(len(c.labels)))
				effects[i] += slope * float64(code)
				if k.of(c.missing) {
					code = -1
				}
				col.Code = append(col.Code, code)
			}
			b.Columns = append(b.Columns, col)
			continue
		}
		col := cdf.Column{Name: c.feature.Name, Number: make([]float64, rows)}
		for i := range rows {
			v := k.NormFloat64()
			switch {
			case c.sort == "zeros":
				v = float64(k.IntN(2))
			case c.sort == "same":
				v = 3
			case c.sort == "copy" && first != nil:
				v = first[i] + .01*v
			}
			if c.sort != "zeros" {
				effects[i] += slope * v
				v = c.unit * (c.shift + v)
			}
			if k.of(c.missing) {
				v = math.NaN()
			}
			col.Number[i] = v
		}
		if c.sort == "number" {
			first = make([]float64, rows)
			for i, v := range col.Number {
				first[i] = v/c.unit - c.shift
				if v != v {
					first[i] = 0
				}
			}
		}
		b.Columns = append(b.Columns, col)
	}
	y := cdf.Column{Name: "y", Number: make([]float64, rows)}
	for i := range rows {
		if y.Number[i] = respond(effects[i]); k.of(.04) {
			y.Number[i] = math.NaN()
		}
	}
	b.Columns = append(b.Columns, y)
	return b
}

// begin settles the entries of x from the key's first shard.
func (k *handKey) begin(b *cdf.Batch) {
	for j := range k.columns {
		c := &k.columns[j]
		if c.sort != "level" {
			k.names, k.numbers = append(k.names, c.feature.Name), append(k.numbers, j)
			continue
		}
		if c.feature.LevelsFirst {
			c.feature.Levels = nil
			for _, code := range b.Columns[j].Code {
				if code >= 0 && !slices.Contains(c.feature.Levels, c.labels[code]) {
					c.feature.Levels = append(c.feature.Levels, c.labels[code])
				}
			}
			slices.Sort(c.feature.Levels)
			c.feature.Baseline = c.feature.Levels[0]
		}
		levels := slices.Clone(c.feature.Levels)
		if c.feature.Other == "level" {
			levels = append(levels, "__other__")
		}
		if k.spec.Missing == "level" {
			levels = append(levels, "__missing__")
		}
		for _, l := range levels {
			if l != c.feature.Baseline {
				k.names, k.numbers = append(k.names, c.feature.Name+"="+l), append(k.numbers, -1)
			}
		}
	}
}

// row returns the entries of a row, or that it is dropped.
func (k *handKey) row(b *cdf.Batch, i int) (x []float64, ok bool) {
	for j := range k.columns {
		c, col := &k.columns[j], &b.Columns[j]
		if c.sort != "level" {
			v := col.Number[i]
			if math.IsNaN(v) {
				return nil, false
			}
			x = append(x, v)
			continue
		}
		label := "__missing__"
		if code := col.Code[i]; code >= 0 {
			if label = col.Levels[code]; !slices.Contains(c.feature.Levels, label) {
				label = "__other__"
			}
		}
		found := label == c.feature.Baseline
		for n := len(x); n < len(k.names) && len(k.names[n]) > len(c.feature.Name) && k.names[n][:len(c.feature.Name)+1] == c.feature.Name+"="; n++ {
			v := 0.
			if k.names[n] == c.feature.Name+"="+label {
				v, found = 1, true
			}
			x = append(x, v)
		}
		if !found {
			return nil, false
		}
	}
	return x, true
}

// refuses reports whether the shard has a row that the key does not take, and takes none for.
func (k *handKey) refuses(b *cdf.Batch) bool {
	for j := range k.columns {
		c, col := &k.columns[j], &b.Columns[j]
		for i := range b.Rows {
			missing := c.sort != "level" && math.IsNaN(col.Number[i]) || c.sort == "level" && col.Code[i] < 0
			known := k.shards == 0 && c.feature.LevelsFirst || missing || c.sort != "level" || slices.Contains(c.feature.Levels, col.Levels[col.Code[i]])
			if missing && k.spec.Missing == "reject" || !known && c.feature.Other == "reject" {
				return true
			}
		}
	}
	return false
}

// update takes the shard to the filter, which is to refuse what the key refuses: then, and where the first shard has no level, there is
// no summary.
func (k *handKey) update(f *cdf.Filter, b *cdf.Batch) (*cdf.Summary, error) {
	sum, err := f.Update(b)
	switch refused := k.refuses(b); {
	case errors.Is(err, cdf.ErrSchema) && k.shards == 0:
		return nil, nil // no levels
	case refused != errors.Is(err, cdf.ErrShard):
		return nil, fmt.Errorf("by hand it is %v that the shard is refused: %w", refused, err)
	case refused:
		return nil, nil
	}
	return sum, err
}

// take takes the rows of a shard in: weights, and constants of the first rows.
func (k *handKey) take(b *cdf.Batch) {
	if k.shards == 0 {
		k.begin(b)
	}
	var rows []handRow
	k.dropped = 0
	observed := 0
	for i := range b.Rows {
		x, ok := k.row(b, i)
		if !ok {
			k.dropped++
			continue
		}
		y := b.Columns[len(b.Columns)-1].Number[i]
		if !math.IsNaN(y) {
			observed++
			rows = append(rows, handRow{x: x, y: y, weight: 1, shard: k.shards})
		}
	}
	by := 1.
	switch {
	case k.spec.Forget == 1 || k.shards == 0:
	case k.spec.ForgetPer.Unit == "shard":
		by = k.spec.Forget
	case k.spec.ForgetPer.Unit == "row":
		by = math.Pow(k.spec.Forget, float64(observed))
	default:
		by = math.Pow(k.spec.Forget, .7)
	}
	for i := range k.rows {
		k.rows[i].weight *= by
	}
	k.rows = append(k.rows, rows...)
	k.shards++
	if !k.frozen && len(k.rows) > 0 {
		k.constants()
		k.frozen = len(k.rows) >= 50
	}
}
