package connect

// PermanentError is one that waiting cannot cure.
type PermanentError struct{ err error }

func (e *PermanentError) Error() string { return e.err.Error() }

func (e *PermanentError) Unwrap() error { return e.err }
