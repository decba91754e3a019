// Package live remembers, within a number of bytes, what a worker's partitions
// went through since the process started: the posteriors of past shards, how
// well shards were predicted, and a log of both that readers can follow.
package live
