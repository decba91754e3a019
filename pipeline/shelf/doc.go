// Package shelf keeps values that nobody uses at present outside Go's heap: the
// collector neither looks through them nor lets garbage grow in proportion to them.
// What is on a shelf is copied when it is put there and copied when it is taken:
// no slice of its memory ever leaves the package, so that none can be used after the
// memory was given back.
package shelf
