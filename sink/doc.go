// Package sink makes the records that leave the process: posteriors and
// predictions in Arrow or JSON, draws, tombstones, and dead letters.
package sink
