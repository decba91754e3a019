package pipeline

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
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
	parent, _ := lastOf(headers, trace.ParentHeader)
	c, ok := trace.Parse(parent)
	return c, ok && c.Sampled()
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

// checkpoints are the traces of an assignment's checkpoints. A checkpoint is work on many
// records: a trace of its own, with links to theirs. Only the shell's goroutine touches
// them, but for newest.
type checkpoints struct {
	*Traces
	part   Partition
	links  [2][]trace.Context // of the records of the open cut and of the one in flight, by the parity of its number
	span   trace.Span         // of the one in flight, if it is recorded
	newest atomic.Pointer[trace.Context]
}

// applied notes the contexts of records that lanes are done with.
func (c *checkpoints) applied(tasks []task) {
	if c.Tracer == nil {
		return
	}
	for i := range tasks {
		if of, ok := TraceOf(tasks[i].record.Headers); ok {
			links := &c.links[tasks[i].cut%2]
			*links = append(*links, of)
		}
	}
}

// begin begins the span of a cut's checkpoint. One without a sampled record is sampled as
// what begins here is.
func (c *checkpoints) begin(cut uint64) {
	if c.Tracer == nil {
		return
	}
	of := c.links[cut%2]
	c.links[cut%2] = of[:0]
	c.span = c.linked("checkpoint", trace.Internal, time.Now(), of)
	if len(of) == 0 {
		c.span.Context = c.Root()
	}
	c.span.Attributes = append(c.messaging(c.part.Topic, "checkpoint", "settle"), ofPartition(c.part))
}

// end ends the span of the checkpoint in flight, which may have failed.
func (c *checkpoints) end(failed string) {
	if !c.span.Sampled() {
		return
	}
	s := c.span
	c.span = trace.Span{}
	if failed == "" {
		of := s.Context
		c.newest.Store(&of)
	}
	s.Failed, s.End = failed, time.Now()
	c.End(s)
}

// dropped ends what an epoch leaves that is given up.
func (c *checkpoints) dropped() {
	if c.Tracer != nil {
		c.end("the claim was given up")
		c.links = [2][]trace.Context{}
	}
}

// call traces one call of the checkpoint in flight: begun on the shell's goroutine, ended
// on the call's. What it returns is nil where nothing is traced.
func (c *checkpoints) call(name string) *call {
	if c.Tracer == nil || !c.span.Sampled() {
		return nil
	}
	s := c.Under(c.span.Context)
	s.Name, s.Kind = name, trace.Client
	return &call{s, c.Traces}
}

// call is the span of a call; nil: it has none.
type call struct {
	span trace.Span
	*Traces
}

func (c *call) begin() {
	if c != nil {
		c.span.Start = time.Now()
	}
}

// end ends the span. What went wrong is told in a word: errors name servers and keys.
func (c *call) end(err error) {
	if c == nil {
		return
	}
	if err != nil {
		c.span.Failed = "the call failed"
		c.span.Attributes = append(c.span.Attributes, trace.Text("error.type", errorType(err)))
	}
	c.span.End = time.Now()
	c.End(c.span)
}

// errorType is the class of an error, for an attribute that has few values.
func errorType(err error) string {
	var refused *RefusedError
	switch {
	case errors.Is(err, ErrFenced):
		return "fenced"
	case errors.Is(err, ErrDamaged):
		return "damaged"
	case errors.As(err, &refused):
		return "refused"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "outage"
}

// sending is the call that sends outputs, with links to what they are made of.
func (c *checkpoints) sending(outputs []Output) *call {
	w := c.call("send outputs")
	if w == nil {
		return nil
	}
	w.span.Kind = trace.Producer
	w.span.Attributes = []trace.Attribute{trace.Text("messaging.system", "kafka"), trace.Text("messaging.operation.name", "send"),
		trace.Text("messaging.operation.type", "send"), trace.Number("messaging.batch.message_count", int64(len(outputs)))}
	for i := range outputs {
		if of, ok := TraceOf(outputs[i].Headers); ok {
			w.span.Link(of)
		}
	}
	return w
}

// saving is the call that saves a checkpoint.
func (c *checkpoints) saving(changes int) *call {
	w := c.call("save checkpoint")
	if w != nil {
		w.span.Attributes = []trace.Attribute{trace.Text("db.system.name", "redis"), trace.Text("db.operation.name", "EVALSHA"),
			trace.Number("db.operation.batch.size", int64(changes))}
	}
	return w
}

// committing returns commit, traced as a part of the newest checkpoint.
func (c *checkpoints) committing(commit func(context.Context, GroupOffset) error) func(context.Context, GroupOffset) error {
	if c.Tracer == nil {
		return commit
	}
	return func(ctx context.Context, at GroupOffset) error {
		of := c.newest.Swap(nil)
		if of == nil {
			return commit(ctx, at)
		}
		w := &call{c.Under(*of), c.Traces}
		w.span.Name, w.span.Kind = "commit "+c.part.Topic, trace.Client
		w.span.Attributes = append(c.messaging(c.part.Topic, "commit", "settle"), ofPartition(c.part), trace.Number("messaging.kafka.offset", at.Offset))
		w.begin()
		err := commit(ctx, at)
		w.end(err)
		return err
	}
}

// received traces a fetch that brought records of sampled traces.
func (t *Traces) received(p Partition, start time.Time, got *Fetched) {
	if t.Tracer == nil {
		return
	}
	var of []trace.Context
	for i := range got.Records {
		if c, ok := TraceOf(got.Records[i].Headers); ok {
			of = append(of, c)
		}
	}
	if len(of) == 0 {
		return
	}
	s := t.linked("poll "+p.Topic, trace.Client, start, of)
	s.Attributes = append(t.messaging(p.Topic, "poll", "receive"), ofPartition(p), trace.Number("messaging.batch.message_count", int64(len(got.Records))))
	s.End = time.Now()
	t.End(s)
}
