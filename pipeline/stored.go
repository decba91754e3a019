package pipeline

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
)

// StoredState is a stored value taken apart, without its model.
type StoredState struct {
	cdf.Head
	Envelope
	Bytes int // of the value
}

// ParseStored takes the stored value of a key apart, whatever configuration made it.
// ErrDamaged, wrapped, says that the bytes cannot be right. Snapshot and
// Summary alias value.
func ParseStored(key string, value Stored) (StoredState, error) {
	h := StoredState{Bytes: len(value)}
	if err := h.UnmarshalBinary(value); err != nil {
		return h, fmt.Errorf("key %q: %w", key, err)
	}
	var err error
	if h.Head, err = cdf.ReadHead(h.Snapshot); err != nil {
		return h, fmt.Errorf("key %q: %w: %w", key, ErrDamaged, err)
	}
	return h, nil
}
