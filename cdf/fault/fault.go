// Package fault tells faults of the program, which panics are, from what data can cause.
//
// Data are checked where they come in, and arithmetic that fails on them says so by an
// error. What a library panics with for bad data by design is made an error at the very
// call. So a panic that goes further is a mistake in the program: it costs its record
// and nothing else, and is told as what it is.
package fault

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Error is a panic that was caught. Its text depends on the program and on what panicked
// alone: what is told of the same record twice is the same.
type Error struct {
	What  string // the panic, in at most 300 bytes
	Place string // function, file and line that panicked
	Stack string // the calls that led there, the innermost first, one line
}

// Error implements error. The numbers that the runtime tells of an index are in What alone: they
// may be those of a buffer, which another process has in another size.
func (e *Error) Error() string {
	what := e.What
	if strings.HasPrefix(what, "runtime error: ") {
		what, _, _ = strings.Cut(what, " [")
	}
	return "fault of the program: " + what + ", in " + e.Place
}

// In returns the fault that an error is or wraps, nil where there is none.
func In(err error) *Error {
	if err == nil {
		return nil
	}
	return in(err)
}

// in is apart for what it allocates, which each record would if it were inlined.
//
//go:noinline
func in(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		return nil
	}
	return e
}

// Catch makes a panic the error. It is deferred itself, not called by what is.
func Catch(err *error) {
	if p := recover(); p != nil {
		*err = Of(p)
	}
}

// Bounds of what is told.
const (
	mostCalls = 40
	mostWhat  = 300
)

// Of returns the fault that a panic with p is. It is called by the deferred function that
// has recovered it, whose stack still has the calls.
func Of(p any) *Error {
	e := &Error{What: what(p)}
	pcs := make([]uintptr, 1024)
	pcs = pcs[:runtime.Callers(2, pcs)]
	e.Place, e.Stack = tell(pcs)
	return e
}

// what is a panic in words. Errors of the runtime say what they are.
func what(p any) string {
	text := ""
	switch p := p.(type) {
	case runtime.Error:
		text = p.Error()
	case error:
		text = "panic: " + p.Error()
	case string:
		text = "panic: " + p
	case fmt.Stringer:
		text = "panic: " + p.String()
	default:
		text = fmt.Sprintf("panic with a %T", p) // what it holds may be an address
	}
	if len(text) > mostWhat {
		text = text[:mostWhat]
	}
	return strings.ToValidUTF8(text, "")
}

// module is what the names of this module's functions begin with.
const module = "github.com/credence-stream/credence/"

// tell returns where a stack panicked first, which is in the standard library only where
// nothing else called it, and the calls that led there.
func tell(pcs []uintptr) (place, stack string) {
	frames := runtime.CallersFrames(pcs)
	var calls []runtime.Frame
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			calls = calls[:0] // one that panicked again has the first one below it
		case !strings.HasPrefix(f.Function, "runtime.") && f.Function != "":
			calls = append(calls, f)
		}
		if !more {
			break
		}
	}
	if len(calls) == 0 {
		return "an unknown place", ""
	}
	place = call(&calls[0])
	for i := range calls {
		if !standard(calls[i].Function) {
			place = call(&calls[i])
			break
		}
	}
	lines := make([]string, 0, mostCalls+1)
	for i := range calls {
		if i == mostCalls {
			lines = append(lines, "...")
			break
		}
		lines = append(lines, call(&calls[i]))
	}
	return place, strings.Join(lines, " < ")
}

// standard reports whether a function is of the standard library: its path begins with no domain.
func standard(function string) bool {
	path, _, _ := strings.Cut(function, "/")
	return path == function || !strings.Contains(path, ".")
}

// call is a frame in words. Paths of files would tell of the machine that built the program.
func call(f *runtime.Frame) string {
	return strings.TrimPrefix(f.Function, module) + " (" + filepath.Base(f.File) + ":" + strconv.Itoa(f.Line) + ")"
}
