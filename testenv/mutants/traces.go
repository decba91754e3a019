package main

var spans = []string{"./pipeline/trace"}

// ofTraces are faults of contexts and spans, and of what must not depend on them.
var ofTraces = []mutant{
	{"upper case in a traceparent", "pipeline/trace/context.go",
		"if d >= 'A' && d <= 'F' {", "if d == 0 {", "TestParse", spans},
	{"more after a traceparent of version 00", "pipeline/trace/context.go",
		"(version[0] == 0 || parent[parentBytes] != '-')", "parent[parentBytes] != '-'", "TestParse", spans},
	{"tracestate of any length", "pipeline/trace/state.go",
		"len(state) > mostState || ", "", "TestState|TestTraceOf", []string{"./pipeline/trace", "./sink"}},
	{"spans that wait for room", "pipeline/trace/tracer.go",
		"\tdefault:\n\t\tt.lost.Inc()\n", "", "TestNobodyWaits", spans},
	{"the sampled flag not heeded", "pipeline/traces.go",
		"return c, ok && c.Sampled()", "return c, ok", "TestSpansOfShards", machine},
	{"links of the open checkpoint", "pipeline/traces.go",
		"links := &c.links[tasks[i].cut%2]", "links := &c.links[0]", "TestSpansOfShards", machine},
	{"a hostile traceparent passed on", "sink/trace.go",
		"if _, ok := trace.Parse(parent); !ok {", "if parent == nil {", "TestTraceOfIsTheInputs", []string{"./sink"}},
	{"a request sent twice at the end", "pipeline/trace/otlp/exporter.go",
		"if e.try(calls, body, len(batch)) {", "if e.try(ctx, body, len(batch)) {", "TestEndWaits", []string{"./pipeline/trace/otlp"}},
	{"the next batch sent although the collector wants none", "pipeline/trace/otlp/exporter.go",
		"next := e.quiet", "next := time.Time{}", "TestRetryAfter", []string{"./pipeline/trace/otlp"}},
	{"a request at the end although the collector wants none", "pipeline/trace/otlp/exporter.go",
		"if !until(ctx, e.quiet) || !e.try(", "if !e.try(", "TestRetryAfter", []string{"./pipeline/trace/otlp"}},
	{"secrets for another host", "pipeline/trace/otlp/exporter.go",
		"return http.ErrUseLastResponse // another", "return nil // another", "TestCollectorThatRefuses", []string{"./pipeline/trace/otlp"}},
	{"a key in the path of a span", "pipeline/trace/requests.go",
		"case t.Paths:", "case true:", "TestRequestsAreTraced", web},
	{"an outage of the collector for one of Kafka", "pipeline/depend/depend.go",
		"name != TraceCollector && ", "name != \"\" && ", "TestNobodyWaitsForTheCollector", []string{"./pipeline/depend"}},
}
