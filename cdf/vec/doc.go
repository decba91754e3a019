// Package vec is what is done with columns of numbers entry by entry: checks, units,
// order, sums of chains, and the way from columns to rows and back. Every result is that of plain loops, to
// the bit, with and without vectors. The assembly is written by cdf/lin/gen.
package vec
