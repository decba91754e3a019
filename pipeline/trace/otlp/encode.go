package otlp

import (
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/credence-stream/credence/pipeline/trace"
)

// Numbers of fields, by the .proto files of OTLP 1.x.
const (
	requestResourceSpans protowire.Number = 1

	resourceSpansResource protowire.Number = 1
	resourceSpansScope    protowire.Number = 2
	resourceSpansSchema   protowire.Number = 3
	resourceAttributes    protowire.Number = 1
	scopeSpansScope       protowire.Number = 1
	scopeSpansSpans       protowire.Number = 2
	scopeName             protowire.Number = 1
	scopeVersion          protowire.Number = 2

	spanTrace      protowire.Number = 1
	spanID         protowire.Number = 2
	spanState      protowire.Number = 3
	spanParent     protowire.Number = 4
	spanName       protowire.Number = 5
	spanKind       protowire.Number = 6
	spanStart      protowire.Number = 7
	spanEnd        protowire.Number = 8
	spanAttributes protowire.Number = 9
	spanLinks      protowire.Number = 13
	spanUnlinked   protowire.Number = 14
	spanStatus     protowire.Number = 15
	spanFlags      protowire.Number = 16

	linkTrace protowire.Number = 1
	linkSpan  protowire.Number = 2
	linkFlags protowire.Number = 6

	statusMessage protowire.Number = 2
	statusCode    protowire.Number = 3

	pairKey     protowire.Number = 1
	pairValue   protowire.Number = 2
	valueText   protowire.Number = 1
	valueTrue   protowire.Number = 2
	valueNumber protowire.Number = 3
)

// codeError is the status of a span that failed.
const codeError = 2

// schema is the version of the semantic conventions that attributes follow.
const schema = "https://opentelemetry.io/schemas/1.37.0"

// scope names what made the spans.
const scope = "github.com/credence-stream/credence"

// encoder makes requests of one process.
type encoder struct {
	resource []byte // attributes of the process, encoded
	scope    []byte
}

func newEncoder(version string, resource []trace.Attribute) *encoder {
	e := new(encoder)
	for _, a := range resource {
		e.resource = appendPair(e.resource, resourceAttributes, a)
	}
	e.scope = appendText(e.scope, scopeName, scope)
	e.scope = appendText(e.scope, scopeVersion, version)
	return e
}

// request returns an ExportTraceServiceRequest of the spans.
func (e *encoder) request(spans []trace.Span) []byte {
	scoped := appendBytes(nil, scopeSpansScope, e.scope)
	var one []byte
	for i := range spans {
		one = appendSpan(one[:0], &spans[i])
		scoped = appendBytes(scoped, scopeSpansSpans, one)
	}
	all := appendBytes(nil, resourceSpansResource, e.resource)
	all = appendBytes(all, resourceSpansScope, scoped)
	all = appendText(all, resourceSpansSchema, schema)
	return appendBytes(nil, requestResourceSpans, all)
}

func appendSpan(b []byte, s *trace.Span) []byte {
	b = appendBytes(b, spanTrace, s.Trace[:])
	b = appendBytes(b, spanID, s.Span[:])
	if s.State != "" {
		b = appendText(b, spanState, s.State)
	}
	if s.Parent != [8]byte{} {
		b = appendBytes(b, spanParent, s.Parent[:])
	}
	b = appendText(b, spanName, s.Name)
	b = appendNumber(b, spanKind, uint64(s.Kind))
	b = appendTime(b, spanStart, s.Start)
	b = appendTime(b, spanEnd, s.End)
	for _, a := range s.Attributes {
		b = appendPair(b, spanAttributes, a)
	}
	for _, l := range s.Links {
		var link []byte
		link = appendBytes(link, linkTrace, l.Trace[:])
		link = appendBytes(link, linkSpan, l.Span[:])
		link = appendFlags(link, linkFlags, l.Flags)
		b = appendBytes(b, spanLinks, link)
	}
	if s.Unlinked > 0 {
		b = appendNumber(b, spanUnlinked, uint64(s.Unlinked))
	}
	if s.Failed != "" {
		status := appendText(nil, statusMessage, s.Failed)
		b = appendBytes(b, spanStatus, appendNumber(status, statusCode, codeError))
	}
	return appendFlags(b, spanFlags, s.Flags)
}

// appendPair appends a KeyValue.
func appendPair(b []byte, n protowire.Number, a trace.Attribute) []byte {
	var value []byte
	switch a.Is {
	case trace.IsNumber:
		value = appendNumber(nil, valueNumber, uint64(a.Number))
	case trace.IsTrue:
		value = appendNumber(nil, valueTrue, 1)
	default:
		value = appendText(nil, valueText, a.Text)
	}
	return appendBytes(b, n, appendBytes(appendText(nil, pairKey, a.Key), pairValue, value))
}

func appendBytes(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

// appendText appends a string, which a reader refuses where it is not UTF-8.
func appendText(b []byte, n protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), strings.ToValidUTF8(v, "\ufffd"))
}

func appendNumber(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func appendTime(b []byte, n protowire.Number, t time.Time) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), uint64(t.UnixNano()))
}

func appendFlags(b []byte, n protowire.Number, flags byte) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(b, n, protowire.Fixed32Type), uint32(flags))
}

// Numbers of fields of an ExportTraceServiceResponse.
const (
	responsePartial protowire.Number = 1
	partialRejected protowire.Number = 1
)

// rejected reads from an answer how many spans the collector did not take. An answer that
// is none says nothing.
func rejected(answer []byte) (n int64) {
	fields(answer, responsePartial, func(partial []byte, _ uint64) {
		fields(partial, partialRejected, func(_ []byte, v uint64) { n = int64(v) })
	})
	return n
}

// fields visits the fields of a message that have a number, up to one that is damaged:
// with their bytes or, where they are no bytes, their value.
func fields(message []byte, wanted protowire.Number, visit func(bytes []byte, v uint64)) {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return
		}
		message = message[size:]
		var bytes []byte
		var v uint64
		switch kind {
		case protowire.BytesType:
			bytes, size = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(message)
		default:
			size = protowire.ConsumeFieldValue(number, kind, message)
		}
		if size < 0 {
			return
		}
		if number == wanted {
			visit(bytes, v)
		}
		message = message[size:]
	}
}
