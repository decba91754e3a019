package pipeline

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
)

// open turns the stored value into a model, once. cdf.ErrSnapshot, wrapped,
// says that the snapshot is damaged or belongs to another configuration.
func (s *keyState) open(key string, w *cdf.Workspace) error {
	if s.model != nil || s.stored == nil {
		return nil
	}
	m := &opened{}
	if err := m.env.UnmarshalBinary(s.stored); err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	m.filter = w.NewFilter(s.spec, key)
	if err := m.filter.UnmarshalBinary(m.env.Snapshot); err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	if len(m.env.Summary) > 0 {
		if err := m.filter.RestoreSummary(m.env.Summary); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	m.env.Snapshot, m.env.Summary = nil, nil
	s.model = m
	return nil
}

// encode returns the value to store, nil for an absent key. It is made in room,
// which keeps what it grew to: a value holds no more than its bytes.
func (s *keyState) encode(room *[]byte) (Stored, error) {
	m := s.model
	if m == nil || s.stored != nil {
		return s.stored, nil
	}
	snapshot, err := m.filter.AppendBinary((*room)[:0])
	if err != nil {
		return nil, err
	}
	all := m.filter.AppendSummary(snapshot)
	m.env.Snapshot, m.env.Summary = all[:len(snapshot)], all[len(snapshot):]
	whole, err := m.env.AppendBinary(all)
	m.env.Snapshot, m.env.Summary = nil, nil
	if *room = whole[:0]; cap(whole) > roomBytes {
		*room = nil
	}
	if err == nil {
		s.stored = bytes.Clone(whole[len(all):])
	}
	return s.stored, err
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
	filter := s.model.filter
	summary, err := filter.Summary()
	if err != nil {
		return nil, nil, fmt.Errorf("key %q: %w", key, err)
	}
	found := posterior(key, s.spec, &s.model.env, p, r.Config(), summary)
	return &found, filter, nil
}

// open makes the state of a key one at hand. A fault.Error is a panic, which is no damage.
func (l *lane) open(e *entry) (err error) {
	defer fault.Catch(&err)
	return unreadable(e.state.open(e.key, l.work)) // the claim has compared the configurations
}

// unreadable says why a stored value cannot be read: unless a later release wrote it, it
// is damaged.
func unreadable(err error) error {
	if err == nil || errors.Is(err, cdf.ErrLater) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// touch notes that a state has changed.
func (l *lane) touch(e *entry) {
	e.state.stored = nil
	if !e.state.dirty {
		e.state.dirty = true
		l.dirty = append(l.dirty, e)
	}
}

// packNew packs the model that a key's first shard has made, whose memory is the
// next new key's: most of many new keys come again late, if at all, and the others
// are opened once.
func (l *lane) packNew(e *entry) error {
	if _, err := e.state.encode(&l.room); err != nil {
		return err
	}
	l.pack(e)
	return nil
}

// pack packs a model that was encoded and gives its memory to the next one.
func (l *lane) pack(e *entry) {
	if f := e.state.pack(e.state.size(e.key)); f != nil {
		l.work.Reclaim(f)
	}
}

// StoredState is a stored value taken apart, without its model.
type StoredState struct {
	cdf.Head
	Envelope
	Bytes int // of the value
}

// ParseStored takes the stored value of a key apart, whatever configuration made it.
// ErrDamaged, wrapped, says that the bytes cannot be right, cdf.ErrLater that a later
// release wrote them. Snapshot and Summary alias value.
func ParseStored(key string, value Stored) (StoredState, error) {
	h := StoredState{Bytes: len(value)}
	if err := h.UnmarshalBinary(value); err != nil {
		return h, fmt.Errorf("key %q: %w", key, err)
	}
	var err error
	if h.Head, err = cdf.ReadHead(h.Snapshot); err != nil {
		return h, fmt.Errorf("key %q: %w", key, unreadable(err))
	}
	return h, nil
}
