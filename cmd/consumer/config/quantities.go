package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// Quantity is one entry of publish.quantities: one of of, probability, predict and
// forecast.
type Quantity struct {
	Name        string `yaml:"name,omitempty"`
	Of          string `yaml:"of,omitempty"`
	Probability string `yaml:"probability,omitempty"`
	Predict     cells  `yaml:"predict,omitempty"`
	Forecast    int    `yaml:"forecast,omitempty"`
	// Quantile are the levels of quantiles that are told beside it, as quantities of their own.
	Quantile []float64 `yaml:"quantile,omitempty"`
}

// Alert is one entry of alerts.
type Alert struct {
	Name       string   `yaml:"name"`
	When       string   `yaml:"when"`
	For        shards   `yaml:"for"`
	ClearBelow *float64 `yaml:"clear_below,omitempty"`
}

func (a *Alert) setDefaults() { a.For = 1 }

// cells are the columns of a row to predict, in the order of the file.
type cells struct {
	given bool
	list  []quantity.Cell
}

func (c *cells) decodeNode(d *decoder, n yamlNode, path string) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected the columns of a row, such as {price: 3, promo: yes}, found %s", describe(n))
		return
	}
	c.given = true
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolveAlias(n.Content[i]), resolveAlias(n.Content[i+1])
		if key.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode {
			d.fail(key, path, "a column has one value")
			return
		}
		if slices.ContainsFunc(c.list, func(c quantity.Cell) bool { return c.Column == key.Value }) {
			d.fail(key, join(path, key.Value), "given twice")
		}
		c.list = append(c.list, quantity.Cell{Column: key.Value, Text: value.Value})
	}
}

// IsZero makes the key disappear where nothing is predicted.
func (c cells) IsZero() bool { return !c.given }

// MarshalYAML writes the form that decodeNode reads.
func (c cells) MarshalYAML() (any, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, cell := range c.list {
		key, value := new(yaml.Node), &yaml.Node{Kind: yaml.ScalarNode, Value: cell.Text}
		key.SetString(cell.Column)
		n.Content = append(n.Content, key, value)
	}
	return n, nil
}

// shards is a number of them, written as 3 or `3 shards`.
type shards int64

func (s *shards) decodeNode(d *decoder, n yamlNode, path string) {
	number := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(n.Value, "s"), "shard"))
	v, err := strconv.ParseInt(number, 10, 64)
	if n.Kind != yaml.ScalarNode || err != nil || v < 1 || v > mostShards {
		d.fail(n, path, "%s is not a number of shards from 1 to %d, such as 3 shards", describe(n), mostShards)
		return
	}
	*s = shards(v)
}

// MarshalYAML writes the form that decodeNode reads.
func (s shards) MarshalYAML() (any, error) {
	if s == 1 {
		return "1 shard", nil
	}
	return fmt.Sprintf("%d shards", int64(s)), nil
}

const (
	mostQuantities = 64
	mostAlerts     = 16
	mostShards     = 1_000_000
	mostAhead      = 1000
	leastLevel     = .001 // of a quantile: the law is asked for no more than it can tell
)

// quantityName is one that cannot be taken for a variable of a column or group;
// alertName is part of an identity.
var (
	quantityName = regexp.MustCompile(`^[^\[\]\x00-\x1f]{1,100}$`)
	alertName    = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
)

// answers compiles the quantities and alerts of an entry.
type answers struct {
	spec      *cdf.Spec
	variables cdf.Variables // that it can have
	path      string
	forms     map[string]quantity.Form // of quantities that have a name
	all       []error
	told      []quantity.Quantity
	alerts    []quantity.Alert
	doubts    []error // allowed and seldom meant
}

// compileAnswers returns the quantities and alerts of the entry for its spec.
func (m *Model) compileAnswers(spec *cdf.Spec, path string) ([]quantity.Quantity, []quantity.Alert, []error) {
	if len(m.Publish.Quantities)+len(m.Alerts) == 0 {
		return nil, nil, nil
	}
	a := &answers{spec: spec, variables: spec.Variables(), path: path, forms: map[string]quantity.Form{}}
	n := len(m.Publish.Quantities)
	for i := range m.Publish.Quantities {
		n += len(m.Publish.Quantities[i].Quantile)
	}
	if n > mostQuantities {
		a.wrong("publish.quantities", "%d quantities and quantiles; at most %d", n, mostQuantities)
		return nil, nil, a.all
	}
	defer func() { m.doubts = append(m.doubts, a.doubts...) }()
	if n := len(m.Alerts); n > mostAlerts {
		a.wrong("alerts", "%d alerts; at most %d", n, mostAlerts)
		return nil, nil, a.all
	}
	for i := range m.Publish.Quantities {
		a.quantity(&m.Publish.Quantities[i], fmt.Sprintf("publish.quantities[%d]", i))
	}
	for i := range m.Alerts {
		a.alert(&m.Alerts[i], fmt.Sprintf("alerts[%d]", i))
	}
	return a.told, a.alerts, a.all
}

func (a *answers) wrong(at, format string, args ...any) {
	a.all = append(a.all, fmt.Errorf("%s.%s: %s", a.path, at, fmt.Sprintf(format, args...)))
}

// named tells the parser of the forms that have a name.
func (a *answers) named(name string) (quantity.Form, bool) {
	f, ok := a.forms[name]
	return f, ok
}

func (a *answers) quantity(c *Quantity, at string) {
	given := 0
	for _, there := range [...]bool{c.Of != "", c.Probability != "", c.Predict.given, c.Forecast != 0} {
		if there {
			given++
		}
	}
	if given != 1 {
		a.wrong(at, "%d of the keys of, probability, predict and forecast are given; exactly one says what the quantity is", given)
		return
	}
	q, whole := quantity.Quantity{Name: c.Name}, at
	var err error
	switch {
	case c.Of != "":
		q.Kind = quantity.KindForm
		q.Form, err = quantity.ParseForm(c.Of, a.named)
		q.Name = cmp.Or(q.Name, "("+c.Of+")")
		at += ".of"
	case c.Probability != "":
		q.Kind = quantity.KindProbability
		q.Form, err = quantity.ParseComparison(c.Probability, a.named)
		q.Name = cmp.Or(q.Name, "P("+c.Probability+")")
		at += ".probability"
	case c.Forecast != 0:
		q.Kind, q.Ahead = quantity.KindPrediction, c.Forecast
		q.Name = cmp.Or(q.Name, fmt.Sprintf("forecast(%d)", c.Forecast))
		at += ".forecast"
		switch {
		case !a.spec.Steps:
			err = fmt.Errorf("kind %s knows no time, so there are no steps ahead", a.spec.Kind)
		case c.Forecast < 1 || c.Forecast > mostAhead:
			err = fmt.Errorf("%d steps; from 1 to %d", c.Forecast, mostAhead)
		}
	default:
		q.Kind, q.Cells = quantity.KindPrediction, c.Predict.list
		q.Name = cmp.Or(q.Name, "predict("+c.Predict.words()+")")
		at += ".predict"
		if err = a.row(q.Cells); err == nil {
			err = a.levels(q.Cells, at)
		}
	}
	switch {
	case err != nil:
	case c.Name != "" && !quantityName.MatchString(c.Name):
		err = fmt.Errorf("the name %q is not 1 to 100 characters without brackets", c.Name)
	case len(q.Name) > quantity.MaxBytes+2:
		err = fmt.Errorf("a name of %d bytes; give it a shorter one", len(q.Name))
	case slices.ContainsFunc(a.told, func(o quantity.Quantity) bool { return o.Name == q.Name }):
		err = fmt.Errorf("the name %q is taken by a quantity before; give another one", q.Name)
	case c.Name != "" && slices.Contains(a.variables.Names, c.Name):
		err = fmt.Errorf("the name %q is that of a variable; give another one", c.Name)
	default:
		err = a.known(&q.Form)
	}
	if err != nil {
		a.wrong(at, "%v", err)
		return
	}
	if a.told = append(a.told, q); c.Name != "" && q.Kind == quantity.KindForm {
		a.forms[c.Name] = q.Form
	}
	a.quantiles(&q, c.Quantile, whole+".quantile")
}

// quantiles adds those of a quantity at levels.
func (a *answers) quantiles(q *quantity.Quantity, levels []float64, at string) {
	if len(levels) > 0 && q.Kind == quantity.KindProbability {
		a.wrong(at, "a probability is a number and has no quantiles; of, predict and forecast have some")
		return
	}
	for i, level := range levels {
		switch {
		case !(level >= leastLevel && level <= 1-leastLevel):
			a.wrong(at, "%v is not between %v and %v: 95 %% of what is expected lies below the quantile 0.95", level, leastLevel, 1-leastLevel)
		case slices.Contains(levels[:i], level):
			a.wrong(at, "%v is given twice", level)
		default:
			a.told = append(a.told, q.At(level))
		}
	}
}

func (c cells) words() string {
	var parts []string
	for _, cell := range c.list {
		parts = append(parts, cell.Column+"="+cell.Text)
	}
	return strings.Join(parts, ", ")
}

// row compares the columns of a row to predict with those that are configured.
func (a *answers) row(list []quantity.Cell) error {
	named, only := a.spec.Columns.Named()
	if !only {
		return nil // the first shard's
	}
	var names []string
	for _, n := range named {
		if n.Role != "response" {
			names = append(names, n.Name)
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(list, func(c quantity.Cell) bool { return c.Column == name })
	}
	for _, c := range list {
		if !slices.Contains(names, c.Column) {
			return fmt.Errorf("%q is no column that the model reads%s", c.Column, cli.Suggest(c.Column, names))
		}
	}
	for _, n := range named {
		if a.spec.Columns.Formula == nil && n.Role != "response" && n.Role != "exposure" && !has(n.Name) {
			return fmt.Errorf("column %q is missing", n.Name)
		}
	}
	return nil
}

// levels compares texts of a row to predict with the levels that are listed: a slip of the
// pen would be answered with what all levels share that are not.
func (a *answers) levels(list []quantity.Cell, at string) error {
	for _, c := range list {
		i := slices.IndexFunc(a.spec.Columns.Features, func(f cdf.Feature) bool { return f.Name == c.Column })
		if i < 0 {
			continue
		}
		f := &a.spec.Columns.Features[i]
		if len(f.Levels) == 0 || slices.Contains(f.Levels, c.Text) || c.Text == "__other__" || c.Text == "__missing__" && a.spec.Missing == "level" {
			continue
		}
		what, near := fmt.Sprintf("%q is none of the levels of column %q", c.Text, c.Column), cli.Suggest(c.Text, f.Levels)
		if f.Other == "drop" || f.Other == "reject" {
			return fmt.Errorf("%s, and other: %s leaves it without a prediction%s", what, f.Other, near)
		}
		a.doubts = append(a.doubts, fmt.Errorf("%s.%s: %s, and the prediction is that of all that are not listed: write __other__ if it is to be%s", a.path, at, what, near))
	}
	return nil
}

// known refuses variables that the model can never have.
func (a *answers) known(f *quantity.Form) error {
	for _, t := range f.Terms {
		if !a.variables.MayHave(t.Variable) {
			names := a.variables.Names
			return fmt.Errorf("there is no variable %q%s", t.Variable, cli.Suggest(t.Variable, names[:min(len(names), 40)]))
		}
	}
	return nil
}

func (a *answers) alert(c *Alert, at string) {
	if !alertName.MatchString(c.Name) {
		a.wrong(at+".name", "%q is not 1 to 64 letters, digits, dots, underscores and hyphens", c.Name)
		return
	}
	if slices.ContainsFunc(a.alerts, func(o quantity.Alert) bool { return o.Name == c.Name }) {
		a.wrong(at+".name", "%q is the name of an alert before", c.Name)
		return
	}
	when, err := quantity.ParseCondition(c.When, a.named)
	if err != nil {
		a.wrong(at+".when", "%v", err)
		return
	}
	to := quantity.Alert{Name: c.Name, When: c.When, Bound: when.Bound, For: int64(c.For)}
	probability := when.Name == ""
	if probability {
		to.Of = quantity.Quantity{Kind: quantity.KindProbability, Form: when.Positive}
		err = a.known(&when.Positive)
	} else if i := slices.IndexFunc(a.told, func(q quantity.Quantity) bool { return q.Name == when.Name }); i < 0 {
		err = fmt.Errorf("%q is none of publish.quantities; a probability is written as P(... > ...) > 0.99", when.Name)
	} else {
		to.Of = a.told[i]
		probability = to.Of.Kind == quantity.KindProbability
	}
	if err != nil {
		a.wrong(at+".when", "%v", err)
		return
	}
	// A name of its own would be compared with those of variables.
	to.Of.Name = ""
	if to.Clear = to.Bound; probability {
		// An alert falls when the doubt is twice what it was allowed to be.
		to.Clear = max(1-2*(1-to.Bound), 0)
	}
	if c.ClearBelow != nil {
		to.Clear = *c.ClearBelow
	}
	if to.Clear > to.Bound {
		a.wrong(at+".clear_below", "%v is above %v, above which the alert rises", to.Clear, to.Bound)
		return
	}
	a.alerts = append(a.alerts, to)
}
