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
	// ErrSnapshot reports bytes that are not a snapshot of this
	// configuration: damaged, of an unknown version, or of another model.
	ErrSnapshot = errors.New("snapshot")
)
