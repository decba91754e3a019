package trace

import "time"

// Kind is a span's place between processes, by OpenTelemetry's numbers.
type Kind uint8

// The kinds of spans.
const (
	Internal Kind = 1 + iota
	Server
	Client
	Producer
	Consumer
)

// MostLinks is how many links a span has at most.
const MostLinks = 128

// Span is one piece of work. Who has its Context of Tracer.Root, Tracer.Linked or
// Tracer.child gives it to Tracer.End once, and keeps nothing of it.
type Span struct {
	Context
	Parent     [8]byte // id of the span that it is a part of; zero: none
	State      string  // the tracestate that came with the parent; "": none
	Name       string
	Kind       Kind
	Start, End time.Time
	Attributes []Attribute
	// Links are contexts of other traces that the work is for, MostLinks at most, and
	// Unlinked how many there were besides.
	Links    []Context
	Unlinked int
	Failed   string // why the work failed, without what a record holds; "": it did not
}

// Link adds a link, where the span has room for one.
func (s *Span) Link(c Context) {
	if len(s.Links) == MostLinks {
		s.Unlinked++
		return
	}
	s.Links = append(s.Links, c)
}

// Attribute is a name of the semantic conventions, or one that begins with credence., and
// its value.
type Attribute struct {
	Key    string
	Text   string
	Number int64
	Is     AttributeKind
}

// AttributeKind says which value an Attribute has.
type AttributeKind uint8

// The kinds of attributes.
const (
	IsText AttributeKind = iota
	IsNumber
	IsTrue // no value besides
)

// Text is an attribute with a text, which is UTF-8.
func Text(key, text string) Attribute { return Attribute{Key: key, Text: text} }

// Number is an attribute with a number.
func Number(key string, n int64) Attribute { return Attribute{Key: key, Number: n, Is: IsNumber} }

// True is an attribute that says that something holds.
func True(key string) Attribute { return Attribute{Key: key, Is: IsTrue} }
