// Package interop runs the programs of examples/clients, which are other
// people's Kafka clients, Arrow readers and statistics packages, against a
// consumer on a real Kafka and Redis, and compares what they read with what we
// published. docs/interop.md has one cell for each of its subtests.
package interop
