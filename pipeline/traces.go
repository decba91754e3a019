package pipeline

import (
	"strconv"
	"time"

	"github.com/credence-stream/credence/pipeline/trace"
)

// Traces say where the spans of a worker go and what they tell. Where there is no tracer
// none are made.
type Traces struct {
	*trace.Tracer        // nil: nothing is traced
	Group         string // the consumer group
	Keys          bool   // spans tell the keys of records
}

// TraceOf returns the context that a record came with, and reports whether it has a
// sampled one. What is no traceparent is no context.
func TraceOf(headers []Header) (trace.Context, bool) {
	for i := len(headers) - 1; i >= 0; i-- {
		if headers[i].Key == trace.ParentHeader {
			c, ok := trace.Parse(headers[i].Value)
			return c, ok && c.Sampled()
		}
	}
	return trace.Context{}, false
}

// messaging returns the attributes that spans about a topic have. Of an operation the
// name is Kafka's, the kind that of the semantic conventions.
func (t *Traces) messaging(topic, operation, kind string) []trace.Attribute {
	return []trace.Attribute{
		trace.Text("messaging.system", "kafka"), trace.Text("messaging.operation.name", operation), trace.Text("messaging.operation.type", kind),
		trace.Text("messaging.destination.name", topic), trace.Text("messaging.consumer.group.name", t.Group),
	}
}

func ofPartition(p Partition) trace.Attribute {
	return trace.Text("messaging.destination.partition.id", strconv.Itoa(int(p.ID)))
}

// linked returns a span that begins a trace of its own for work on several records, with
// links to the contexts of these. It is recorded where one of them is.
func (t *Traces) linked(name string, kind trace.Kind, start time.Time, of []trace.Context) trace.Span {
	s := trace.Span{Name: name, Kind: kind, Start: start}
	if len(of) > 0 {
		s.Context = t.Linked()
	}
	for _, c := range of {
		s.Link(c)
	}
	return s
}

// recordSpan is that of a record on its way through a lane; nil: it has none.
type recordSpan struct {
	span   trace.Span
	tracer *trace.Tracer
}

// record begins the span of a record that came with a sampled context.
func (t *Traces) record(p Partition, r *Record) *recordSpan {
	if t == nil || t.Tracer == nil {
		return nil
	}
	parent, ok := TraceOf(r.Headers)
	if !ok {
		return nil
	}
	s := t.Under(parent)
	s.Name, s.Kind, s.Start = "process "+p.Topic, trace.Consumer, time.Now()
	if state, ok := r.Header(trace.StateHeader); ok {
		s.State = string(trace.State(state))
	}
	s.Attributes = append(t.messaging(p.Topic, "process", "process"), ofPartition(p),
		trace.Number("messaging.kafka.offset", r.Offset), trace.Number("messaging.message.body.size", int64(len(r.Value))))
	if r.Value == nil {
		s.Attributes = append(s.Attributes, trace.True("messaging.kafka.message.tombstone"))
	}
	if t.Keys {
		s.Attributes = append(s.Attributes, trace.Text("messaging.kafka.message.key", string(r.Key)))
	}
	return &recordSpan{s, t.Tracer}
}

// end says what became of the record. No text that may tell of its content is in a span.
func (w *recordSpan) end(t *task, err error) {
	if w == nil {
		return
	}
	s := &w.span
	switch r := &t.result; {
	case err != nil:
		s.Failed = "the record stopped its partition"
	case r.Dead != "":
		s.Failed = "dead letter: " + string(r.Dead)
		s.Attributes = append(s.Attributes, trace.Text("error.type", string(r.Dead)))
	case r.Skipped != "":
		s.Attributes = append(s.Attributes, trace.Text("credence.skipped", r.Skipped))
	case r.Kind != "":
		s.Attributes = append(s.Attributes, trace.Text("credence.kind", r.Kind), trace.Number("credence.rows", r.Rows))
	}
	s.End = time.Now()
	w.tracer.End(*s)
}

// step begins a part of the work and returns what ends it.
func (w *recordSpan) step(name string) (end func(error)) {
	if w == nil {
		return untraced
	}
	s := w.tracer.Under(w.span.Context)
	s.Name, s.Kind, s.Start = name, trace.Internal, time.Now()
	return func(err error) {
		if err != nil {
			s.Failed = name + " refused the record"
		}
		s.End = time.Now()
		w.tracer.End(s)
	}
}

func untraced(error) {}
