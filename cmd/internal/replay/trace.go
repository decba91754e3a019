package replay

import (
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/trace"
)

// Tracing makes shards parts of traces. The zero value does not.
type Tracing struct {
	Tracer *trace.Tracer // nil: shards carry the parent itself
	// Parent is what all shards are for; zero: each is the begin of a trace.
	Parent trace.Context
}

// context returns the headers by which whoever reads a shard goes on with its trace. Where
// that has a span it ends when the shard is acknowledged.
func (s *Sender) context(sh Shard, bytes int) []pipeline.Header {
	t, of := s.opt.Tracing, s.opt.Tracing.Parent
	if t.Tracer != nil {
		var span trace.Span
		if of == (trace.Context{}) {
			span.Context = t.Tracer.Root()
		} else {
			span = t.Tracer.Under(of)
		}
		of = span.Context
		if span.Sampled() {
			span.Name, span.Kind, span.Start = "send "+s.opt.Topic, trace.Producer, time.Now()
			span.Attributes = []trace.Attribute{
				trace.Text("messaging.system", "kafka"), trace.Text("messaging.operation.name", "send"), trace.Text("messaging.operation.type", "send"),
				trace.Text("messaging.destination.name", s.opt.Topic), trace.Number("messaging.message.body.size", int64(bytes)),
				trace.Number("credence.shard", sh.N), trace.Number("credence.rows", int64(sh.Batch.Rows)),
			}
			s.spans = append(s.spans, span)
		}
	}
	if of == (trace.Context{}) {
		return nil
	}
	return []pipeline.Header{{Key: trace.ParentHeader, Value: of.Append(nil)}}
}

// sent ends the spans of the shards that were pending.
func (s *Sender) sent(err error) {
	now := time.Now()
	for _, span := range s.spans {
		if span.End = now; err != nil {
			span.Failed = "not acknowledged"
		}
		s.opt.Tracing.Tracer.End(span)
	}
	s.spans = s.spans[:0]
}
