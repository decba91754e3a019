package config

import (
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// Model is one entry of models.
type Model struct {
	Match     string   `yaml:"match"`
	Kind      string   `yaml:"kind"`
	Variant   string   `yaml:"variant"`
	Formula   string   `yaml:"formula,omitempty"` // in place of most of columns
	Columns   Columns  `yaml:"columns"`
	Draws     int      `yaml:"draws"`
	Forget    float64  `yaml:"forget"`
	ForgetPer clock    `yaml:"forget_per"`
	Missing   string   `yaml:"missing"`
	Publish   Publish  `yaml:"publish"`
	Alerts    []Alert  `yaml:"alerts,omitempty"`
	Units     measures `yaml:"units,omitempty"`
	Settings  yamlNode `yaml:"settings"`

	Spec *cdf.Spec `yaml:"-"` // set by resolve

	given  []string // the keys that were written
	doubts []error  // what resolve found allowed and seldom meant
}

// Columns says what the columns of a shard serve as.
type Columns struct {
	Scaling   string   `yaml:"scaling"`
	Response  Response `yaml:"response"`
	Features  features `yaml:"features,omitempty"`
	Group     string   `yaml:"group,omitempty"` // shorthand for one entry of groups
	Groups    []Group  `yaml:"groups,omitempty"`
	Exposure  string   `yaml:"exposure,omitempty"`
	Time      string   `yaml:"time,omitempty"`
	Intercept bool     `yaml:"intercept"`

	given []string // the keys that were written
}

// Response is the column to explain.
type Response struct {
	Name   string   `yaml:"name"`
	Center *float64 `yaml:"center,omitempty"`
	Scale  *float64 `yaml:"scale,omitempty"`
}

// features are those that are listed, nil where the key is left out.
type features []Feature

// IsZero keeps an empty list where a configuration is printed: it means no feature.
func (f features) IsZero() bool { return f == nil }

// Feature is a column of the regression.
type Feature struct {
	Name     string   `yaml:"name"`
	Center   *float64 `yaml:"center,omitempty"`
	Scale    *float64 `yaml:"scale,omitempty"`
	Levels   levels   `yaml:"levels,omitempty"`
	Baseline string   `yaml:"baseline,omitempty"`
	Other    string   `yaml:"other,omitempty"`
}

// levels are the categories of a column: listed, or those of the first shard.
type levels struct {
	given, first bool
	list         []string
}

// Group is a column that names groups.
type Group struct {
	Column string   `yaml:"column"`
	Slopes []string `yaml:"slopes,omitempty,flow"`
}

// Publish says what leaves the process after a shard; see cdf.Publish.
type Publish struct {
	Every       int64      `yaml:"every"`
	Draws       bool       `yaml:"draws"`
	Scale       string     `yaml:"scale"`
	Covariance  bool       `yaml:"covariance"`
	Predictions string     `yaml:"predictions"`
	Groups      string     `yaml:"groups"`
	Variables   []string   `yaml:"variables,flow"`
	Quantities  []Quantity `yaml:"quantities,omitempty"`
}

func (m *Model) setDefaults() {
	s := cdf.NewSpec("", "", nil, nil)
	*m = Model{
		Columns:   Columns{Scaling: s.Columns.Scaling, Response: Response{Name: s.Columns.Response.Name}, Intercept: true},
		Draws:     s.Draws,
		Forget:    s.Forget,
		ForgetPer: clock(s.ForgetPer),
		Missing:   s.Missing,
		Publish:   publishOf(&s.Publish),
	}
}

func publishOf(p *cdf.Publish) Publish {
	return Publish{
		Every: p.Every, Draws: p.Draws, Scale: p.Scale, Covariance: p.Covariance,
		Predictions: p.Predictions, Groups: p.Groups, Variables: p.Variables,
	}
}

// decodeNode takes a name alone for {name: ...}.
func (r *Response) decodeNode(d *decoder, n yamlNode, path string) {
	type plain Response
	d.decodeNamed(n, &r.Name, (*plain)(r), path)
}

// decodeNode takes a name alone for {name: ...}.
func (f *Feature) decodeNode(d *decoder, n yamlNode, path string) {
	type plain Feature
	d.decodeNamed(n, &f.Name, (*plain)(f), path)
}

// decodeNode takes a column alone for {column: ...}.
func (g *Group) decodeNode(d *decoder, n yamlNode, path string) {
	type plain Group
	d.decodeNamed(n, &g.Column, (*plain)(g), path)
}

// decodeNamed fills the struct that whole points to, or from a scalar only its
// name.
func (d *decoder) decodeNamed(n yamlNode, name *string, whole any, path string) {
	if n.Kind == yaml.ScalarNode {
		*name = n.Value
		return
	}
	d.decodeInto(n, whole, path)
}

func (l *levels) decodeNode(d *decoder, n yamlNode, path string) {
	l.given = true
	if n.Kind == yaml.ScalarNode && n.Value == "first" {
		l.first = true
		return
	}
	if n.Kind == yaml.ScalarNode {
		d.fail(n, path, "%q is neither first nor a list of levels", n.Value)
		return
	}
	d.decodeInto(n, &l.list, path)
}

// IsZero makes the key disappear where the column is a number.
func (l levels) IsZero() bool { return !l.given }

// MarshalYAML writes the form that decodeNode reads.
func (l levels) MarshalYAML() (any, error) {
	if l.first {
		return "first", nil
	}
	return flowList(l.list), nil
}

func flowList(items []string) yamlNode {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, s := range items {
		item := new(yaml.Node)
		item.SetString(s)
		n.Content = append(n.Content, item)
	}
	return n
}

// roles is the form of the columns that the engine knows.
func (c *Columns) roles() cdf.Roles {
	r := cdf.Roles{
		Scaling:   c.Scaling,
		Response:  cdf.Feature{Name: c.Response.Name, Center: c.Response.Center, Scale: c.Response.Scale},
		Exposure:  c.Exposure,
		Time:      c.Time,
		Intercept: c.Intercept,
	}
	if c.Features != nil {
		r.Features = []cdf.Feature{} // also of none
	}
	for _, f := range c.Features {
		r.Features = append(r.Features, cdf.Feature{
			Name: f.Name, Center: f.Center, Scale: f.Scale,
			Levels: f.Levels.list, LevelsFirst: f.Levels.first, Baseline: f.Baseline, Other: f.Other,
		})
	}
	for _, g := range c.Groups {
		r.Groups = append(r.Groups, cdf.Group{Column: g.Column, Slopes: g.Slopes})
	}
	return r
}

// resolve checks the entry, asks the kind about its settings, and makes the
// Spec.
func (m *Model) resolve(c *Config, d *decoder, path string) []error {
	k, err := FindKind(c.Kinds, m.Kind)
	if problems := m.check(c.Kinds, k, path); len(problems) > 0 {
		return problems
	}
	if err != nil {
		return []error{fmt.Errorf("%s.kind: %w", path, err)}
	}
	if m.Variant == "" {
		m.Variant = k.Variants[0]
	}
	if err := oneOf(path+".variant", m.Variant, k.Variants...); err != nil {
		return []error{err}
	}
	if m.Columns.Group != "" {
		m.Columns.Groups = []Group{{Column: m.Columns.Group}}
		m.Columns.Group = ""
	}
	roles := m.Columns.roles()
	if m.Formula != "" {
		if roles, err = m.formulaRoles(c.Kinds, k); err != nil {
			return []error{fmt.Errorf("%s.%w", path, err)}
		}
	}
	if err := cdf.DistinctTerms(roles.Groups); err != nil {
		return []error{fmt.Errorf("%s: %w", path, err)}
	}
	before := len(d.problems)
	spec, err := k.Spec(m.Variant, roles, func(target any) error {
		if m.Settings != nil {
			d.decodeInto(m.Settings, target, path+".settings")
		}
		if len(d.problems) > before {
			return d.problems[before]
		}
		if f, ok := target.(kind.FileReader); ok {
			return f.ReadFiles(func(path string) (io.ReadCloser, error) { return os.Open(path) })
		}
		return nil
	})
	if len(d.problems) > before {
		return d.problems[before:]
	}
	if err != nil {
		return []error{fmt.Errorf("%s.settings: %w", path, err)}
	}
	spec.Seed, spec.Draws, spec.Missing = c.Seed, m.Draws, m.Missing
	spec.Forget, spec.ForgetPer = m.Forget, cdf.Clock(m.ForgetPer)
	p := &m.Publish
	spec.Publish = cdf.Publish{
		Every: p.Every, Draws: p.Draws, Scale: p.Scale, Covariance: p.Covariance,
		Predictions: p.Predictions, Groups: p.Groups, Variables: p.Variables,
	}
	spec.Limits = cdf.Limits{Rows: c.Limits.Rows, Columns: c.Limits.Columns, Groups: c.Limits.Groups}
	var problems []error
	if spec.Publish.Quantities, spec.Publish.Alerts, problems = m.compileAnswers(spec, path); len(problems) > 0 {
		return problems
	}
	m.Spec = spec
	if m.Settings, err = settingsNode(spec.Settings); err != nil {
		return []error{fmt.Errorf("%s.settings: %w", path, err)}
	}
	return nil
}
