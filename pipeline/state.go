package pipeline

import (
	"bytes"
	"fmt"

	"github.com/credence-stream/credence/cdf"
)

// open turns the stored value into a model, once. cdf.ErrSnapshot, wrapped,
// says that the snapshot is damaged or belongs to another configuration.
func (s *keyState) open(key string, w *cdf.Workspace) error {
	if s.stored == nil {
		return nil
	}
	if err := s.env.UnmarshalBinary(s.stored); err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	f := w.NewFilter(s.spec, key)
	if err := f.UnmarshalBinary(s.env.Snapshot); err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	if len(s.env.Summary) > 0 {
		if err := f.RestoreSummary(s.env.Summary); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	s.filter, s.env.Snapshot, s.env.Summary = f, nil, nil
	s.saved, s.stored = s.stored, nil
	return nil
}

// encode returns the value to store, nil for an absent key. It is made in room,
// which keeps what it grew to: a value holds no more than its bytes.
func (s *keyState) encode(room *[]byte) (Stored, error) {
	if s.filter == nil {
		return nil, nil
	}
	snapshot, err := s.filter.AppendBinary((*room)[:0])
	if err != nil {
		return nil, err
	}
	all := s.filter.AppendSummary(snapshot)
	s.env.Snapshot, s.env.Summary = all[:len(snapshot)], all[len(snapshot):]
	whole, err := s.env.AppendBinary(all)
	s.env.Snapshot, s.env.Summary = nil, nil
	if *room = whole[:0]; cap(whole) > roomBytes {
		*room = nil
	}
	return bytes.Clone(whole[len(all):]), err
}

// roomBytes is the most that is kept of what values are made in.
const roomBytes = 1 << 20

// Restore reads a stored value back: the message about the key's state, and
// the model for predictions.
func (r *Rules) Restore(p Partition, key string, value Stored) (*Posterior, *cdf.Filter, error) {
	spec, ok := r.Match(key)
	if !ok {
		return nil, nil, fmt.Errorf("no model is configured for key %q", key)
	}
	s := &keyState{spec: spec, stored: value}
	if err := s.open(key, cdf.NewWorkspace()); err != nil {
		return nil, nil, err
	}
	summary, err := s.filter.Summary()
	if err != nil {
		return nil, nil, fmt.Errorf("key %q: %w", key, err)
	}
	found := posterior(key, s, p, r.Config(), summary)
	return &found, s.filter, nil
}
