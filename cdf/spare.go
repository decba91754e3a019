package cdf

import "bytes"

// spare is what loading a snapshot takes from those that the workspace has loaded,
// so that it costs little more than reading the numbers.
type spare struct {
	spec *Spec
	// The design that a snapshot under the spec had, which its bytes tell, where no
	// pattern has it.
	raw    []byte
	design *design
	// What a filter with the design had and has no longer, nil: nothing.
	of      *design
	engine  *engine
	x       []Constant
	spreads []spread
}

// known returns the design whose bytes come next, where it is the spare one, and
// passes over them.
func (s *spare) known(r *reader, spec *Spec) *design {
	if s.spec != spec || !bytes.HasPrefix(r.b, s.raw) {
		return nil
	}
	r.b = r.b[len(s.raw):]
	return s.design
}

// learn takes the design in that was read from the bytes.
func (s *spare) learn(spec *Spec, raw []byte, d *design) {
	s.spec, s.raw, s.design = spec, append(s.raw[:0], raw...), d
}

// model returns an engine for the design in any state, to be loaded.
func (s *spare) model(spec *Spec, d *design) (*engine, error) {
	if e := s.engine; e != nil && d == s.of {
		s.engine = nil // if loading it fails it must not be used
		return e, nil
	}
	return newEngine(spec, d)
}

// constants returns room for those of the design's columns.
func (s *spare) constants(d *design) []Constant {
	if x := s.x; x != nil && d == s.of {
		s.x = nil
		return x
	}
	return make([]Constant, len(d.names))
}

// watched returns room for the spreads of the design's columns.
func (s *spare) watched(d *design) []spread {
	if v := s.spreads; d == s.of {
		s.spreads = nil
		return v
	}
	return nil
}

// take takes in what a filter will use no more. Nothing else may refer to it.
func (s *spare) take(was *state, e *engine) {
	if e == nil {
		return
	}
	if was.design != s.of {
		s.of, s.spreads = was.design, nil
	}
	s.engine, s.x = e, was.scaling.x
	if v := was.scaling.watch.spreads; v != nil {
		s.spreads = v
	}
}
