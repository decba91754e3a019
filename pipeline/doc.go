// Package pipeline turns a partition of input records into exactly-once model
// state and at-least-once posterior summaries.
//
// The rules of a partition are a state machine without I/O, clock or
// goroutine; everything that waits is a thin shell around it.
// The order of effects never changes: outputs are acknowledged by Kafka, then
// state and watermark move by one compare-and-set in the store, then the
// group offset follows for lag tools. Adapters live in the packages below
// and import this one; they never import each other.
package pipeline
