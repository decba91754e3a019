package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/gather"
	"github.com/credence-stream/credence/sink/web/token"
)

var undefined = math.NaN()

// shownGroups bounds the levels of a group that are told.
const shownGroups = 1000

// about answers how a posterior was computed.
func (s *Server) about(w http.ResponseWriter, r *http.Request, key string) error {
	if err := newQuery(r).err(); err != nil {
		return err
	}
	m, err := s.find(r.Context(), key)
	if err != nil {
		return err
	}
	body, err := s.appendAbout(m, scopeOf(r))
	if err != nil {
		return err
	}
	writeTagged(w, r, jsonType, body)
	return nil
}

func (s *Server) appendAbout(m *Model, scope token.Scope) ([]byte, error) {
	p, spec := m.Posterior, m.Rule.Spec
	settings, err := json.Marshal(spec.Settings)
	if err != nil {
		return nil, fmt.Errorf("key %q: settings: %w", p.Key, err)
	}
	prior, err := m.Filter.Prior()
	if errors.Is(err, errors.ErrUnsupported) {
		prior, err = new(cdf.Summary), nil
	}
	if err != nil {
		return nil, fmt.Errorf("key %q: prior: %w", p.Key, err)
	}
	commands := []byte("{}") // who only reads runs none
	if scope.Operates() {
		if commands, err = json.Marshal(s.options.Commands.Key(p.Key)); err != nil {
			return nil, fmt.Errorf("key %q: commands: %w", p.Key, err)
		}
	}
	o := newObject()
	o.text("key", p.Key)
	o.text("kind", p.Kind)
	o.text("variant", p.Variant)
	o.text("match", m.Rule.Match)
	o.text("config", p.Config)
	o.source(p.Source, p.Offset)
	o.time("time", p.Time)
	o.count("t", p.Summary.T)
	o.count("n", p.Summary.N)
	o.raw("settings", settings)
	o.number("forget", spec.Forget)
	o.text("forget_per", forgetPer(spec.ForgetPer))
	o.gathering(s.options.Gathering)
	appendList(&o, "inputs", m.Filter.Inputs(), func(o *object, in *cdf.Input) { appendInput(o, in, m.Rule.Units[in.Name]) })
	names, numbers := flat(prior.Rows)
	o.rows("prior", names, numbers, variables("**"))
	o.count("state_bytes", int64(m.Bytes))
	o.truth("owned", s.options.Feed.Owned(p.Source.ID))
	o.raw("commands", commands)
	return o.line(), nil
}

// gathering writes when rows that wait are a shard; nothing where none does.
func (o *object) gathering(rule gather.Rule) {
	if !rule.On() {
		return
	}
	o.name("coalesce")
	o.open()
	o.count("rows", int64(rule.Most()))
	if rule.Millis > 0 {
		o.number("seconds", float64(rule.Millis)/1000)
	}
	o.close()
}

// source writes where a record is.
func (o *object) source(p pipeline.Partition, offset int64) {
	o.name("source")
	o.open()
	o.text("topic", p.Topic)
	o.count("partition", int64(p.ID))
	o.count("offset", offset)
	o.close()
}

func appendInput(o *object, in *cdf.Input, unit string) {
	o.text("name", in.Name)
	o.text("role", in.Role)
	if unit != "" {
		o.text("unit", unit)
	}
	if in.Moment {
		o.truth("moment", true)
	}
	if !in.Category {
		o.text("type", "number")
		if !math.IsNaN(in.Scale) && (in.Center != 0 || in.Scale != 1) {
			o.number("center", in.Center)
			o.number("scale", in.Scale)
		}
		return
	}
	o.text("type", "category")
	levels := in.Levels
	if in.Role == "group" {
		levels = levels[:min(len(levels), shownGroups)]
	}
	o.texts("levels", levels)
	if in.Role == "feature" {
		o.text("baseline", in.Baseline)
		o.text("other", in.Other)
	}
}

// forgetPer is a clock as a configuration writes it.
func forgetPer(c cdf.Clock) string {
	if c.Unit != "duration" {
		return c.Unit
	}
	return (time.Duration(c.Millis) * time.Millisecond).String()
}
