package cdf

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Arithmetic is raised whenever the same configuration and input may lead to
// other bits than before, whatever the kind; see Spec.Revision.
const Arithmetic = 2

// Fingerprint identifies everything that the state of a filter depends on:
// SHA-256 over the canonical JSON of the tagged fields and Arithmetic.
// Publish and Limits are not part of it.
func (s *Spec) Fingerprint() [32]byte {
	if s.print != nil {
		return *s.print
	}
	doc, err := json.Marshal(struct {
		Arithmetic int   `json:"arithmetic"`
		Spec       *Spec `json:"spec"`
	}{Arithmetic, s})
	if err != nil {
		// Settings that JSON cannot hold, such as NaN, identify themselves
		// by Go's notation, which is fixed for plain structs.
		doc = fmt.Appendf(nil, "%d %s %d %s %d %+v", Arithmetic, s.Kind, s.Revision, s.Variant, s.Seed, s.Settings)
	}
	return sha256.Sum256(doc)
}

// Seal computes the fingerprint once for all filters of the spec. It must be
// called before the spec is shared between goroutines, and the spec must not
// change afterwards.
func (s *Spec) Seal() {
	s.print = nil
	p := s.Fingerprint()
	s.print = &p
}
