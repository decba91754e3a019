// Package cdf is the engine of conditional density filtering (C-DF): it folds
// one shard after another into surrogate conditional sufficient statistics
// (SCSS), so that time and memory per shard do not grow with the stream.
//
// A [Model] says which statistics a posterior needs and how its parameters are
// drawn from them; a [Filter] runs Algorithm 1 of Qamar, Guhaniyogi and Dunson
// (arXiv:1401.3632) over it for one key, atomically per shard; a [Summary] is
// what becomes public after a shard. The package waits for nothing, logs
// nothing and reads no clock: the result of an update is a function of the
// configuration, the state before and the shard.
package cdf

import "errors"

// The reasons why a shard or a snapshot is refused. They are wrapped with
// what was wrong; test for them with errors.Is.
var (
	// ErrSchema reports a shard whose columns cannot take the roles that the
	// configuration or the key's first shard gave them.
	ErrSchema = errors.New("schema")
	// ErrShard reports a shard with the right columns and unusable values:
	// infinite numbers, no rows, too many rows.
	ErrShard = errors.New("shard")
	// ErrNumeric reports that arithmetic failed on a shard that passed all
	// checks: the state before the shard stays as it was.
	ErrNumeric = errors.New("numeric")
	// ErrLost reports that the state of a filter is lost, whatever else it was for.
	ErrLost = errors.New("lost")
	// ErrSnapshot reports bytes that are not a snapshot of this
	// configuration: damaged, of an unknown version, or of another model.
	ErrSnapshot = errors.New("snapshot")
	// ErrLater reports, beside ErrSnapshot, bytes that are whole, for their checksum
	// matches, and of a version that only a later release reads.
	ErrLater = errors.New("written by a later release")
)
