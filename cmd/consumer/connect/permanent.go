package connect

import (
	"errors"

	"github.com/credence-stream/credence/internal/access"
)

// Permanent reports whether waiting cannot cure an error.
func Permanent(err error) bool {
	var permanent *PermanentError
	return errors.As(err, &permanent) || errors.Is(err, access.ErrExhausted)
}

// PermanentError is one that waiting cannot cure.
type PermanentError struct{ err error }

func (e *PermanentError) Error() string { return e.err.Error() }

func (e *PermanentError) Unwrap() error { return e.err }
