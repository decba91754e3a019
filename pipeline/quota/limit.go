// Package quota counts the keys of tenants, which are prefixes of keys, and says which
// records may make new ones.
package quota

import (
	"fmt"
	"strings"
)

// Limit bounds the keys of one partition that begin with a prefix, and the state of each. No prefix of a
// configuration begins with another one of it, so that a key is under one limit at most.
type Limit struct {
	Prefix string `json:"prefix"`
	Keys   int64  `json:"keys"` // that have a state, 0: any number
	// PerMinute is how many may be made in a Minute, 0: any number.
	PerMinute int64 `json:"new_keys_per_minute,omitempty"`
	// KeyBytes is how large a record may leave the snapshot of a key, 0: of any size.
	KeyBytes int64 `json:"bytes_per_key,omitempty"`
	// Bytes is what these snapshots may take together, 0: any number. KeyBytes, which is then not 0, are
	// set aside for each key that has a state.
	Bytes int64 `json:"bytes,omitempty"`
}

// Limits reports whether anything is limited.
func (l *Limit) Limits() bool { return l.OfNew() || l.KeyBytes > 0 }

// OfNew reports whether it is limited how many keys are made, so that what becomes of a record
// depends on other keys.
func (l *Limit) OfNew() bool { return l.Keys > 0 || l.PerMinute > 0 || l.Bytes > 0 }

// Kinds of limits, as labels of a metric.
const (
	OfKeys     = "keys"
	OfMinute   = "new_keys_per_minute"
	OfKeyBytes = "bytes_per_key"
	OfBytes    = "bytes"
)

var kinds = [...]string{OfKeys, OfMinute, OfKeyBytes, OfBytes}

// Over says why a record is a dead letter. It is the same whenever and wherever the
// record is applied; the zero value says that it is none.
type Over struct {
	Limit  string // its kind
	Reason string
}

// over compares what there is with the limit.
func (l *Limit) over(held int64, now *Minute) (o Over) {
	switch {
	case l.Keys > 0 && held >= l.Keys:
		o = Over{OfKeys, fmt.Sprintf("the partition has %d keys that begin with %q; limits.prefixes allows %d", held, l.Prefix, l.Keys)}
	case !l.roomFor(held + 1):
		o = Over{OfBytes, fmt.Sprintf("the partition has %d keys that begin with %q, for each of which %d bytes_per_key are set aside; limits.prefixes allows %d bytes", held, l.Prefix, l.KeyBytes, l.Bytes)}
	case l.PerMinute > 0 && now.Made >= l.PerMinute:
		o = Over{OfMinute, fmt.Sprintf("%d keys that begin with %q were made in the partition in the minute of %s, by the times of their records; "+
			"limits.prefixes allows %d new_keys_per_minute. Replay the record later", now.Made, l.Prefix, now, l.PerMinute)}
	default:
		return o
	}
	o.Reason = "the key is new, and " + o.Reason
	return o
}

// roomFor reports whether the states of so many keys may take what is set aside for them.
func (l *Limit) roomFor(keys int64) bool { return l.Bytes == 0 || keys <= l.Bytes/l.KeyBytes }

// OverBytes compares the snapshot that a record would leave of its key with the limit.
func (l *Limit) OverBytes(n int) (o Over) {
	if l.KeyBytes > 0 && int64(n) > l.KeyBytes {
		o = Over{OfKeyBytes, fmt.Sprintf("the record would make the state of its key %d bytes large; limits.prefixes allows %d bytes_per_key of keys that begin with %q. "+
			"The state is as it was: raise the limit and replay the record, or let the model have fewer columns or groups", n, l.KeyBytes, l.Prefix)}
	}
	return o
}

// Sum is what the keys of a prefix come to.
type Sum struct {
	Keys  int64 // that have a state
	Bytes int64 // of their states, as they are stored
}

// Place returns the place in a list of the limit that a key is under, -1 if it is under none.
func Place(list []Limit, key string) int {
	for i := range list {
		if strings.HasPrefix(key, list[i].Prefix) {
			return i
		}
	}
	return -1
}
