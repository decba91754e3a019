// Package offheap has memory beside Go's heap, for bytes that stay long: the collector
// neither looks through them nor lets garbage grow in proportion to them. Nothing in it
// may be a pointer.
package offheap
