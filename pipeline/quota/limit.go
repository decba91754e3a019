// Package quota counts the keys of tenants, which are prefixes of keys, and says which
// records may make new ones.
package quota

import (
	"fmt"
	"strings"
)

// Limit bounds the keys of one partition that begin with a prefix. No prefix of a
// configuration begins with another one of it, so that a key is under one limit at most.
type Limit struct {
	Prefix string `json:"prefix"`
	Keys   int64  `json:"keys"` // that have a state, 0: any number
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

// reason says why a record of a new key is a dead letter, given the keys that there are. It is
// the same whenever and wherever the record is applied.
func (l *Limit) reason(held int64) string {
	return fmt.Sprintf("the key is new, and the partition has %d keys that begin with %q; limits.prefixes allows %d", held, l.Prefix, l.Keys)
}
