// Package arrow turns the bytes of Arrow IPC streams into columns and
// posteriors into Arrow IPC streams.
//
// Input records are hostile ground: FlatBuffers carry no proof that their
// offsets and lengths fit the bytes at hand, and a reader that trusts them
// can be made to ask for hundreds of gigabytes. So nothing here follows an
// offset, length or index that has not been held against the bytes present,
// and no allocation is larger than a fixed multiple of the record limit.
// The same reader serves every record. Where the schema message equals one
// seen before and a column is plain, it costs no allocation and, where the
// bytes are aligned, no copy.
package arrow
