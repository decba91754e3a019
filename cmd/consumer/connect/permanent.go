package connect

// PermanentError is one that waiting cannot cure.
type PermanentError struct{ err error }

// Permanent wraps an error that waiting cannot cure.
func Permanent(err error) *PermanentError { return &PermanentError{err} }

func (e *PermanentError) Error() string { return e.err.Error() }

func (e *PermanentError) Unwrap() error { return e.err }
