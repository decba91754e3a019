package cdf

import (
	"fmt"
	"slices"
	"strings"
)

// design says which columns of a batch serve as what for one key. It is
// fixed by the key's first shard and part of the snapshot.
type design struct {
	response string
	sources  []source
	made     Derivation // makes the columns that are sources, nil: no formula
	settled  []Feature  // what it settled, which a snapshot has in place of the sources
	names    []string   // of the columns of X, the intercept first
	scalable []bool     // per column of X: not an intercept or a one-hot column
	levels   []int      // columns of X that are levels, or a formula's products of them
	// Slopes are, per slope of every factor, the place of its column among the constants: those of the columns of X, one of
	// which a slope may share, and behind them those of the alone, columns that are slopes and no features.
	slopes []int
	alone  []string
	// Products are the columns of X that a formula makes of others, which they are to be rid of.
	products []product
	held     []holding  // by column
	siblings []Siblings // by column
	whole    bool       // their baselines have columns, too: the last ones
}

// source is one feature column and its place in X.
type source struct {
	feature     Feature // with Levels filled in where categorical
	categorical bool
	first       int              // its first column of X
	column      map[string]int32 // categorical: column of X per level, none for the baseline
	other       int32            // categorical: column of an unlisted level, or one of the below
	gap         int32            // categorical: column of a missing value, none: the row is dropped
}

const (
	none      int32 = -1 // baseline: no column of X
	otherDrop int32 = -2
	otherFail int32 = -3
)

// newDesign gives roles to the columns of a key's first shard. More says that it may have
// more rows than the batch, with levels that these lack.
func newDesign(spec *Spec, b *Batch, more bool) (*design, error) {
	roles := &spec.Columns
	if roles.Formula != nil {
		made, err := roles.Formula.Begin(b, spec.Limits.Columns, more)
		if err != nil {
			return nil, err
		}
		return derivedDesign(spec, made)
	}
	response := roles.response()
	features := roles.Features
	if features == nil {
		features = roles.defaultFeatures(b)
	}
	sources := make([]source, 0, len(features))
	for _, f := range features {
		s := source{feature: f}
		if s.categorical = f.Levels != nil || f.LevelsFirst; s.categorical && f.LevelsFirst {
			levels, err := firstLevels(b, f.Name)
			if err != nil {
				if unread := b.unread("feature", f.Name); unread != nil {
					return nil, unread
				}
				return nil, err
			}
			if more {
				levels = Expected(levels, f.Baseline)
			}
			s.feature.Levels = levels
		}
		sources = append(sources, s)
	}
	return assemble(spec, response, sources)
}

// derivedDesign is the design of columns that a formula makes.
func derivedDesign(spec *Spec, made Derivation) (*design, error) {
	features := made.Features()
	sources := make([]source, 0, len(features))
	for _, f := range features {
		sources = append(sources, source{feature: f})
	}
	d := &design{made: made, settled: made.Settled()}
	if err := d.lay(spec, spec.Columns.response(), sources); err != nil {
		return nil, err
	}
	return d, nil
}

// derived returns the columns that the roles of the key name: those of the batch, or
// what a formula makes of them in the workspace.
func (f *Filter) derived(b *Batch) (*Batch, error) {
	if f.now.design.made == nil {
		return b, nil
	}
	if limit := f.spec.Limits.Columns; limit > 0 && len(b.Columns) > limit {
		return nil, fmt.Errorf("%w: %d columns, the limit is %d", ErrSchema, len(b.Columns), limit)
	}
	made, err := f.now.design.made.Derive(b, &f.ws.derived)
	if name := f.spec.Columns.Time; err == nil && name != "" { // the formula does not name it
		if i := slices.IndexFunc(b.Columns, func(c Column) bool { return c.Name == name }); i >= 0 {
			made.Columns = append(made.Columns, b.Columns[i])
		}
	}
	return made, err
}

// assemble is the design of columns of a shard as they are.
func assemble(spec *Spec, response string, sources []source) (*design, error) {
	d := new(design)
	if err := d.lay(spec, response, sources); err != nil {
		return nil, err
	}
	return d, nil
}

// intercept reports whether the first column of X is one.
func (d *design) intercept() bool { return len(d.names) > 0 && d.names[0] == InterceptName }

// lay lays the sources out as columns of X.
func (d *design) lay(spec *Spec, response string, sources []source) error {
	d.response, d.sources = response, sources
	if spec.Columns.Intercept {
		d.names, d.scalable = append(d.names, InterceptName), append(d.scalable, false)
	}
	for i := range d.sources {
		s := &d.sources[i]
		s.first = len(d.names)
		if s.feature.Name == response {
			return fmt.Errorf("%w: column %q is both response and feature", ErrSchema, response)
		}
		if s.feature.Scale != nil && !(*s.feature.Scale > 0) {
			return fmt.Errorf("%w: column %q has scale %g", ErrSchema, s.feature.Name, *s.feature.Scale)
		}
		if !s.categorical {
			if s.feature.Partial {
				d.levels = append(d.levels, s.first)
			}
			d.relate(spec, s, s.feature.Siblings)
			d.names, d.scalable = append(d.names, s.feature.Name), append(d.scalable, true)
			continue
		}
		names, err := s.encode(spec.Missing == "level")
		if err != nil {
			return err
		}
		d.relate(spec, s, len(names))
		for j, name := range names {
			d.levels = append(d.levels, s.first+j)
			d.names, d.scalable = append(d.names, name), append(d.scalable, false)
		}
	}
	d.layBaselines()
	if limit := spec.Limits.Columns; limit > 0 && len(d.names) > limit {
		return &WidthError{fmt.Sprintf("%d columns of coefficients, the limit is %d", len(d.names), limit), []string{"merge rare levels", "leave columns out"}}
	}
	seen := make(map[string]bool, len(d.names))
	for _, name := range d.names {
		if seen[name] {
			return fmt.Errorf("%w: two coefficients would be named %q%s", ErrSchema, name, renamed(name))
		}
		seen[name] = true
	}
	d.layProducts()
	d.laySlopes(spec.Columns.Groups)
	return nil
}

// laySlopes finds the constants of slopes.
func (d *design) laySlopes(groups []Group) {
	for _, g := range groups {
		for _, name := range g.Slopes {
			place := slices.Index(d.names, name)
			if place < 0 || !d.scalable[place] {
				k := slices.Index(d.alone, name)
				if k < 0 {
					k = len(d.alone)
					d.alone = append(d.alone, name)
				}
				place = len(d.names) + k
			}
			d.slopes = append(d.slopes, place)
		}
	}
}

// constants is how many columns have a centre and a scale, which of levels are 0 and 1.
func (d *design) constants() int { return len(d.names) + len(d.alone) }

// WidthError is an ErrSchema of a model that would have more columns of coefficients than Limits.Columns.
type WidthError struct {
	What  string   // has how many
	Fewer []string // what makes fewer
}

func (e *WidthError) Error() string { return e.Remedied("raise limits.columns") }

// Remedied is the error with another remedy than a higher limit, where that cannot be set.
func (e *WidthError) Remedied(other string) string {
	return fmt.Sprintf("%v: %s: %s", ErrSchema, e.What, strings.Join(append(slices.Clip(e.Fewer), other), ", or "))
}

// Unwrap makes it an ErrSchema.
func (e *WidthError) Unwrap() error { return ErrSchema }

// renamed says how a column of such a name can be there all the same.
func renamed(name string) string {
	if name == InterceptName {
		return ", a column's and that of the intercept; rename the column, or make it I(" + name + ") in a formula"
	}
	return ", of two columns or of a column and a level; rename one"
}

func (r *Roles) response() string {
	if r.Response.Name == "" {
		return "y"
	}
	return r.Response.Name
}

// defaultFeatures returns every numeric column without another role, in
// schema order.
func (r *Roles) defaultFeatures(b *Batch) []Feature {
	features := []Feature{}
	for i := range b.Columns {
		c := &b.Columns[i]
		taken := c.Name == r.response() || c.Name == r.Exposure || c.Name == r.Time ||
			slices.ContainsFunc(r.Groups, func(g Group) bool { return g.Column == c.Name })
		if !taken && c.Type != Text && c.Type != Time {
			features = append(features, Feature{Name: c.Name})
		}
	}
	return features
}

// layout says where a batch has the columns of a design. It is kept for the
// next batch, which usually has the same schema.
type layout struct {
	schema   []Column // names and types only, as seen last
	y        int      // -1: the batch has no response
	sources  []int
	groups   []int
	slopes   []int // of all factors, one after the other
	exposure int   // -1: none
	time     int   // -1: none
}

// matches reports whether the batch has the schema seen last.
func (l *layout) matches(b *Batch) bool {
	if len(l.schema) != len(b.Columns) || len(l.schema) == 0 {
		return false
	}
	for i := range l.schema {
		if l.schema[i].Type != b.Columns[i].Type || l.schema[i].Name != b.Columns[i].Name {
			return false
		}
	}
	return true
}

// bind finds the columns of the design in the batch, by name.
func (l *layout) bind(spec *Spec, d *design, b *Batch, needResponse bool) error {
	if l.matches(b) {
		return nil
	}
	l.schema = nil
	if limit := spec.Limits.Columns; limit > 0 && len(b.Columns) > limit {
		return fmt.Errorf("%w: %d columns, the limit is %d", ErrSchema, len(b.Columns), limit)
	}
	at := make(map[string]int, len(b.Columns))
	schema := make([]Column, len(b.Columns))
	for i := range b.Columns {
		name := string([]byte(b.Columns[i].Name)) // the batch is a view
		if _, twice := at[name]; twice {
			return fmt.Errorf("%w: two columns are named %q", ErrSchema, name)
		}
		at[name] = i
		schema[i] = Column{Name: name, Type: b.Columns[i].Type}
	}
	blank := false // a column is taken because it holds nothing: the next one of this schema may hold something
	find := func(name, role string, types ...ColumnType) (int, error) {
		i, ok := at[name]
		if !ok {
			return -1, b.Missing(role, name)
		}
		if !slices.Contains(types, Float) && b.Columns[i].Type == Float {
			blank = true
			return i, b.Columns[i].CheckLabels(role)
		}
		if !slices.Contains(types, schema[i].Type) {
			return -1, fmt.Errorf("%w: %s column %q holds %s", ErrSchema, role, name, schema[i].Type.Words())
		}
		return i, nil
	}
	numbers := []ColumnType{Float, Integer, Bool, Time}
	labels := []ColumnType{Integer, Bool, Time, Text}
	found := layout{y: -1, exposure: -1, time: -1}
	var err error
	if _, ok := at[d.response]; ok || needResponse {
		if found.y, err = find(d.response, "response", numbers...); err != nil {
			return err
		}
	}
	for i := range d.sources {
		s, types := &d.sources[i], numbers
		if s.categorical {
			types = labels
		}
		place, err := find(s.feature.Name, "feature", types...)
		if err != nil {
			if _, has := at[s.feature.Name]; has && spec.Columns.Features == nil && spec.Columns.Formula == nil {
				err = fmt.Errorf("%w; in the key's first shard it held numbers or nothing, which decided, as no features are listed: "+
					"list columns.features, with levels where it holds text, and read the topic again with a new group", err)
			}
			return err
		}
		found.sources = append(found.sources, place)
	}
	for _, g := range spec.Columns.Groups {
		at, err := find(g.Column, "group", labels...)
		if err != nil {
			return err
		}
		found.groups = append(found.groups, at)
		for _, name := range g.Slopes {
			at, err := find(name, "slope", numbers...)
			if err != nil {
				return err
			}
			found.slopes = append(found.slopes, at)
		}
	}
	if name := spec.Columns.Exposure; name != "" {
		if found.exposure, err = find(name, "exposure", numbers...); err != nil {
			return err
		}
	}
	if name := spec.Columns.Time; name != "" {
		if found.time, err = find(name, "time", Integer, Time); err != nil {
			return err
		}
	}
	if !blank {
		found.schema = schema
	}
	*l = found
	return nil
}

// Missing returns the error about a column that the batch has not: ErrSchema,
// wrapped.
func (b *Batch) Missing(role, name string) error {
	if err := b.unread(role, name); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s column %q is missing", ErrSchema, role, name)
}

// unread returns an error where the batch had the column in a type that is
// not read.
func (b *Batch) unread(role, name string) error {
	for _, s := range b.Skipped {
		if s.Name == name {
			return fmt.Errorf("%w: %s column %q has type %s, which is not read", ErrSchema, role, name, s.Type)
		}
	}
	return nil
}

// Words names the type in messages.
func (t ColumnType) Words() string {
	switch t {
	case Float:
		return "numbers with fractions"
	case Integer:
		return "integers"
	case Bool:
		return "truth values"
	case Time:
		return "times"
	default:
		return "text"
	}
}
