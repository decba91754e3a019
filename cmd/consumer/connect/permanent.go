package connect

import (
	"errors"

	"github.com/credence-stream/credence/internal/access"
)

// IsPermanent reports whether waiting cannot cure an error.
func IsPermanent(err error) bool {
	var permanent *PermanentError
	return errors.As(err, &permanent) || errors.Is(err, access.ErrExhausted)
}

// PermanentError is one that waiting cannot cure.
type PermanentError struct{ err error }

// Permanent wraps an error that waiting cannot cure.
func Permanent(err error) *PermanentError { return &PermanentError{err} }

func (e *PermanentError) Error() string { return e.err.Error() }

func (e *PermanentError) Unwrap() error { return e.err }
