package sink

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// aParent is a traceparent as it should be.
const aParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// TestTraceOfIsTheInputs shows that an output goes on with the trace of its input and with
// nothing else: what is no context is left out, and never a reason to refuse a record.
func TestTraceOfIsTheInputs(t *testing.T) {
	for _, c := range []struct{ parent, state, want string }{
		{aParent, "", aParent + "|"},
		{aParent, "vendor=1,t@v=x", aParent + "|vendor=1,t@v=x"},
		{aParent, "no pair", aParent + "|"},
		{aParent, strings.Repeat("a=1,", 200), aParent + "|"},
		{strings.ToUpper(aParent), "vendor=1", "|"},
		{aParent + strings.Repeat("x", 1<<20), "vendor=1", "|"},
		{"", "vendor=1", "|"},
	} {
		r := &pipeline.Record{Headers: []pipeline.Header{{Key: "traceparent", Value: []byte("older")}, {Key: "traceparent", Value: []byte(c.parent)}, {Key: "tracestate", Value: []byte(c.state)}}}
		if got := TraceOf(r); string(got.Parent)+"|"+string(got.State) != c.want {
			t.Errorf("%.60q, %.60q: got %.60q", c.parent, c.state, got)
		}
	}
}

// TestLettersKeepTheTrace looks at a letter that has not its record's bytes: who reads it
// goes on with the trace all the same.
func TestLettersKeepTheTrace(t *testing.T) {
	r := &pipeline.Record{Offset: 4, Key: []byte("k"), Value: make([]byte, 1000), Headers: []pipeline.Header{
		{Key: "traceparent", Value: []byte(aParent)}, {Key: "tracestate", Value: []byte("a=b")}, {Key: "mine", Value: []byte("x")},
	}}
	o := DeadLetters{Topic: "dead", Limit: 900}.Output(pipeline.Partition{Topic: "in"}, r, "decode", "no stream")
	if len(o.Value) > 0 || !strings.HasPrefix(headers(o), "traceparent="+aParent+"\ntracestate=a=b\n__connect") {
		t.Errorf("%d bytes, %s", len(o.Value), headers(o))
	}
}
