// Package trace makes spans of what a process does and follows the contexts that records
// and requests bring: W3C Trace Context, and spans as OpenTelemetry has them. What takes
// the spans to a collector is package otlp.
//
// Where there is no Tracer nothing is traced, and nothing of this package is called but
// Parse and State, which allocate nothing. A span never influences what is computed, stored
// or published: an output carries the context that its input came with, no other.
package trace
