package quota

import (
	"slices"
	"strings"
)

// Ledger knows which keys under limits there are while a log is gone through in its order, so
// that what is recomputed meets the limits that a worker met. A nil one follows no key. It is
// for one goroutine.
type Ledger struct {
	followed Prefixes // that are under a limit somewhere in the log
	lives    map[string]bool
	limits   []Limit
	sums     []tally // of each limit in force
}

// tally is what there is under one limit.
type tally struct {
	held   int64 // keys
	minute Minute
}

// NewLedger returns one that knows of no key, for a log in which keys with these prefixes were
// under limits.
func NewLedger(prefixes Prefixes) *Ledger {
	return &Ledger{followed: prefixes, lives: map[string]bool{}}
}

// Follows reports whether the ledger has to know of a key.
func (l *Ledger) Follows(key string) bool {
	return l != nil && l.followed.Has(key)
}

// Prefixes are what keys begin with.
type Prefixes []string

// Has reports whether a key begins with one of them.
func (all Prefixes) Has(key string) bool {
	return slices.ContainsFunc(all, func(p string) bool { return strings.HasPrefix(key, p) })
}

// Under has the limits in force from here on, under which nothing was made yet.
func (l *Ledger) Under(limits []Limit) {
	if l == nil {
		return
	}
	l.limits, l.sums = limits, make([]tally, len(limits))
	for key := range l.lives {
		if at := Place(limits, key); at >= 0 {
			l.sums[at].held++
		}
	}
}

// See takes the time of the next record, in milliseconds, which is one of this key.
func (l *Ledger) See(key string, ms int64) {
	if at := Place(l.limits, key); at >= 0 {
		l.sums[at].minute.See(ms)
	}
}

// Lives reports whether a key that is followed has a state.
func (l *Ledger) Lives(key string) bool { return l.lives[key] }

// Over says why no key may be made.
func (l *Ledger) Over(key string) (o Over) {
	if at := Place(l.limits, key); at >= 0 && !l.lives[key] {
		return l.limits[at].over(l.sums[at].held, &l.sums[at].minute)
	}
	return o
}

// Set notes whether a key has a state.
func (l *Ledger) Set(key string, lives bool) {
	was := l.lives[key]
	if lives {
		l.lives[key] = true
	} else {
		delete(l.lives, key)
	}
	at := Place(l.limits, key)
	switch {
	case at < 0 || lives == was:
	case lives:
		l.sums[at].held++
		l.sums[at].minute.Made++
	default:
		l.sums[at].held--
	}
}
