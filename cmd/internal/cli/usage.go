package cli

import (
	"errors"
	"fmt"
)

// Exit codes.
const (
	exitOK = iota
	exitFailure
	exitUsage
	exitWrongState
)

// usageError is a command line that cannot be meant: exit code 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// Usage makes an error, unless it is nil, that of a command line that cannot be meant.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// Usagef returns the error of a command line that cannot be meant.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// ErrReported ends the process with exit code 1 and no further message.
var ErrReported = errors.New("reported")

// ErrMismatch ends the process with exit code 3: verify has found and told
// state that is not what the log gives.
var ErrMismatch = errors.New("mismatch")

// ErrNothingApplied ends the process with exit code 3: all records that run
// found became dead letters.
var ErrNothingApplied = errors.New("nothing was applied")

// ExitCode is 0 for success, 2 for a wrong command line, 3 for state that is
// not what the log gives or was made of nothing, 1 for everything else.
func ExitCode(err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, ErrMismatch), errors.Is(err, ErrNothingApplied):
		return exitWrongState
	default:
		return exitFailure
	}
}
