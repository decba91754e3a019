package sink

import (
	"bytes"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/trace"
)

// Trace is the context that a record came with, and that what it causes goes on with: a
// function of the input alone, so that what is sent again is the same record.
type Trace struct {
	Parent []byte // a traceparent; nil: there is none
	State  []byte // a tracestate; nil: there is none
}

// TraceOf returns the context of a record, by its last headers. One that is not as W3C Trace
// Context has it is none: nobody could go on with it. The bytes are the record's.
func TraceOf(r *pipeline.Record) (t Trace) {
	parent, _ := r.Header(trace.ParentHeader)
	if _, ok := trace.Parse(parent); !ok {
		return Trace{}
	}
	state, _ := r.Header(trace.StateHeader)
	return Trace{Parent: parent, State: trace.State(state)}
}

// headers are those of a record that goes on with the trace, with bytes of their own.
func (t Trace) headers() (all []pipeline.Header) {
	if t.Parent != nil {
		all = append(all, pipeline.Header{Key: trace.ParentHeader, Value: bytes.Clone(t.Parent)})
	}
	if t.State != nil {
		all = append(all, pipeline.Header{Key: trace.StateHeader, Value: bytes.Clone(t.State)})
	}
	return all
}
