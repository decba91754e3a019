package trace

import "encoding/hex"

// The headers of a record or request, by W3C Trace Context.
const (
	ParentHeader = "traceparent"
	StateHeader  = "tracestate"
)

// flagSampled says that who made the context has recorded its span.
const flagSampled byte = 1

// Context names a span. The zero value names none.
type Context struct {
	Trace [16]byte
	Span  [8]byte
	Flags byte
}

// parentBytes is the length of a traceparent of version 00.
const parentBytes = 55

// Parse reads a traceparent, and reports whether it is one: version 00 as the standard
// writes it, or of a later version what begins so. Flags that the standard does not name
// are left out.
func Parse(parent []byte) (c Context, ok bool) {
	if len(parent) < parentBytes || parent[2] != '-' || parent[35] != '-' || parent[52] != '-' {
		return Context{}, false
	}
	var version, flags [1]byte
	ok = unhex(version[:], parent[:2]) && unhex(c.Trace[:], parent[3:35]) && unhex(c.Span[:], parent[36:52]) && unhex(flags[:], parent[53:55])
	switch {
	case !ok, version[0] == 0xff, c.Trace == [16]byte{}, c.Span == [8]byte{}:
		return Context{}, false
	case len(parent) > parentBytes && (version[0] == 0 || parent[parentBytes] != '-'):
		return Context{}, false
	}
	c.Flags = flags[0] & flagSampled
	return c, true
}

// unhex reads lower-case hexadecimal digits, two for each byte of dst: the standard allows
// no others.
func unhex(dst, digits []byte) bool {
	for _, d := range digits {
		if d >= 'A' && d <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(dst, digits)
	return err == nil
}

// Sampled reports whether the spans under c are to be recorded.
func (c Context) Sampled() bool { return c.Flags&flagSampled != 0 }

// Append appends c as a traceparent of version 00.
func (c Context) Append(dst []byte) []byte {
	dst = append(dst, "00-"...)
	dst = hex.AppendEncode(dst, c.Trace[:])
	dst = append(dst, '-')
	dst = hex.AppendEncode(dst, c.Span[:])
	dst = append(dst, '-')
	return hex.AppendEncode(dst, []byte{c.Flags})
}

// String returns c as a traceparent.
func (c Context) String() string { return string(c.Append(nil)) }
