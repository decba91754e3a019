package cdf

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// otherLevel is the level of the coefficient that all unlisted levels share.
const otherLevel = "__other__"

// missingLevel is the level of rows that lack the column, under `missing: level`.
const missingLevel = "__missing__"

// encode lays the levels of a categorical source out as one-hot columns from
// s.first on, without the baseline, and returns their names. A missing value is a
// level too if gaps says so.
func (s *source) encode(gaps bool) ([]string, error) {
	f := &s.feature
	if len(f.Levels) == 0 {
		return nil, fmt.Errorf("%w: column %q has no levels", ErrSchema, f.Name)
	}
	baseline := f.Baseline
	if baseline == "" {
		baseline = f.Levels[0]
	}
	if !slices.Contains(f.Levels, baseline) {
		return nil, fmt.Errorf("%w: baseline %q is not a level of column %q", ErrSchema, baseline, f.Name)
	}
	var names []string
	s.column = make(map[string]int32, len(f.Levels))
	for _, level := range f.Levels {
		if _, twice := s.column[level]; twice {
			return nil, fmt.Errorf("%w: level %q of column %q is listed twice", ErrSchema, level, f.Name)
		}
		if level == baseline {
			s.column[level] = none
			continue
		}
		s.column[level] = int32(s.first + len(names))
		names = append(names, f.Name+"="+level)
	}
	switch f.Other {
	case "drop":
		s.other = otherDrop
	case "reject":
		s.other = otherFail
	default:
		s.other = int32(s.first + len(names))
		names = append(names, f.Name+"="+otherLevel)
	}
	if s.gap = none; gaps {
		s.gap = int32(s.first + len(names))
		names = append(names, f.Name+"="+missingLevel)
		if _, listed := s.column[missingLevel]; !listed {
			s.column[missingLevel] = s.gap // a row may name it, as it may a group
		}
	}
	return names, nil
}

// width returns the number of columns of X of a categorical source.
func (s *source) width() int {
	n := len(s.feature.Levels) - 1
	if s.other >= 0 {
		n++
	}
	if s.gap >= 0 {
		n++
	}
	return n
}

// relates reports whether keys may have siblings.
func (s *Spec) relates() bool {
	if s.Levels == LevelsApart || s.Origin {
		return false
	}
	if f := s.Columns.Formula; f != nil {
		return f.Factors()
	}
	return slices.ContainsFunc(s.Columns.Features, func(f Feature) bool {
		src := source{feature: f}
		if f.LevelsFirst || f.Levels == nil {
			return f.LevelsFirst
		}
		names, err := src.encode(s.Missing == "level")
		return err == nil && len(names) > 1
	})
}

// relate notes that so many columns from that of a source on are siblings. Where nothing takes up the baseline it is 0, and no level like the others;
// one level beside it is like it.
func (d *design) relate(spec *Spec, s *source, columns int) {
	switch {
	case columns < 2 || spec.Origin:
	case spec.Levels == LevelsAlike, spec.Levels == LevelsWhole && s.indicates():
		d.siblings = append(d.siblings, Siblings{First: s.first, Columns: columns})
		d.whole = spec.Levels == LevelsWhole
	}
}

// indicates reports whether the columns of a source are zeros and ones as they are: of a formula those of levels alone.
func (s *source) indicates() bool {
	f := &s.feature
	return s.categorical || f.Partial && f.Center != nil && f.Scale != nil && *f.Center == 0 && *f.Scale == 1
}

// layBaselines lays out columns of baselines, behind all others.
func (d *design) layBaselines() {
	if !d.whole {
		return
	}
	for i := range d.siblings {
		s := &d.siblings[i]
		s.Baseline = len(d.names)
		d.names, d.scalable = append(d.names, "the baseline beside "+d.names[s.First]), append(d.scalable, false)
	}
}

// alike are the siblings that the prior of a model is to have alike.
func (d *design) alike() []Siblings {
	if d.whole {
		return nil
	}
	return d.siblings
}

// hides reports whether a column of X is a baseline's, whose coefficient nobody asks for.
func (d *design) hides(column int) bool {
	return d.whole && column >= d.siblings[0].Baseline
}

// baseline returns the column of the baseline that a level's coefficient is beside, 0: none.
func (d *design) baseline(column int) int {
	if d.whole {
		for _, s := range d.siblings {
			if column >= s.First && column < s.First+s.Columns {
				return s.Baseline
			}
		}
	}
	return 0
}

// fillBaselines lays out the columns of baselines: 1 where no sibling is.
func (r *rows) fillBaselines(d *design) {
	if !d.whole {
		return
	}
	for from := 0; from < len(r.x); from += r.cols {
		row := r.x[from : from+r.cols]
		for _, s := range d.siblings {
			row[s.Baseline] = 1
			for _, v := range row[s.First : s.First+s.Columns] {
				row[s.Baseline] -= v
			}
		}
	}
}

// firstLevels returns the levels in a column of the first shard in byte order.
func firstLevels(b *Batch, name string) ([]string, error) {
	i := slices.IndexFunc(b.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: feature column %q is missing", ErrSchema, name)
	}
	c := &b.Columns[i]
	if err := c.CheckLabels("feature"); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	levels := []string{}
	for row := range b.Rows {
		if label, ok := c.Label(row); ok && !seen[label] {
			label = string([]byte(label)) // the batch is a view
			seen[label] = true
			levels = append(levels, label)
		}
	}
	slices.Sort(levels)
	return levels, nil
}

// Expected returns the levels of a factor of whose first shard these rows are, where more
// rows may follow: its baseline is among them, and there is one at least.
func Expected(levels []string, baseline string) []string {
	if len(levels) == 0 || baseline != "" && !slices.Contains(levels, baseline) {
		levels = append(levels, baseline)
	}
	return levels
}

// MaxName is how many bytes the name of a coefficient, of a level or of a group has at most. They are
// part of the state and of every posterior, and what a text column of the wrong kind holds, as whole
// documents, would fill the store. Names that a state has are what they are.
const MaxName = 1024

// tooLong describes a name that has more.
func tooLong(what, name string) string {
	return fmt.Sprintf("%s of %d bytes, %q…; a name has at most %d: give it a shorter one, or do without the column", what, len(name), strings.ToValidUTF8(name[:40], ""), MaxName)
}

// namable returns ErrSchema, wrapped, where a new key would have names that are too long.
func (d *design) namable() error {
	for _, name := range d.names {
		if len(name) > MaxName {
			return fmt.Errorf("%w: the columns make %s", ErrSchema, tooLong("the name of a coefficient", name))
		}
	}
	levels := func(of *Feature) error {
		for _, level := range of.Levels {
			if len(level) > MaxName {
				return fmt.Errorf("%w: column %q has %s", ErrSchema, of.Name, tooLong("a level", level))
			}
		}
		return nil
	}
	for i := range d.sources {
		if err := levels(&d.sources[i].feature); err != nil {
			return err
		}
	}
	for i := range d.settled {
		if err := levels(&d.settled[i]); err != nil {
			return err
		}
	}
	return nil
}

// labels looks names of rows up in an index, each distinct text of a column
// once per shard.
type labels struct {
	codes []int32 // Text: result per level of the batch
	buf   []byte
}

// unasked marks a level of the batch that was not looked up yet.
const unasked int32 = -1 << 31

func (l *labels) begin(c *Column) {
	if c.Type != Text {
		return
	}
	l.codes = slices.Grow(l.codes[:0], len(c.Levels))[:len(c.Levels)]
	for i := range l.codes {
		l.codes[i] = unasked
	}
}

// at returns what index holds for row i of the column, absent where it holds
// nothing, and whether the row has a label at all.
func (l *labels) at(c *Column, i int, index map[string]int32, absent int32) (value int32, ok bool) {
	if c.Type == Text {
		code := c.Code[i]
		if code < 0 {
			return absent, false
		}
		if v := l.codes[code]; v != unasked {
			return v, true
		}
		v, known := index[c.Levels[code]]
		if !known {
			v = absent
		}
		l.codes[code] = v
		return v, true
	}
	if math.IsNaN(c.Number[i]) {
		return absent, false
	}
	l.buf = c.appendLabel(l.buf[:0], i)
	v, known := index[string(l.buf)]
	if !known {
		v = absent
	}
	return v, true
}
