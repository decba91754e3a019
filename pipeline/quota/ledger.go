package quota

import "strings"

// Ledger knows which keys under limits there are while a log is gone through in its order, so
// that what is recomputed meets the limits that a worker met. A nil one follows no key. It is
// for one goroutine.
type Ledger struct {
	followed []string // prefixes that are under a limit somewhere in the log
	lives    map[string]bool
	limits   []Limit
	held     []int64 // keys under each limit in force
}

// NewLedger returns one that knows of no key, for a log in which keys with these prefixes were
// under limits.
func NewLedger(prefixes []string) *Ledger {
	return &Ledger{followed: prefixes, lives: map[string]bool{}}
}

// Follows reports whether the ledger has to know of a key.
func (l *Ledger) Follows(key string) bool {
	if l == nil {
		return false
	}
	for _, p := range l.followed {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return false
}

// Under has the limits in force from here on.
func (l *Ledger) Under(limits []Limit) {
	if l == nil {
		return
	}
	l.limits, l.held = limits, make([]int64, len(limits))
	for key := range l.lives {
		if at := Place(limits, key); at >= 0 {
			l.held[at]++
		}
	}
}

// Lives reports whether a key that is followed has a state.
func (l *Ledger) Lives(key string) bool { return l.lives[key] }

// Over says why no key may be made, "" if one may, or there is one.
func (l *Ledger) Over(key string) string {
	if at := Place(l.limits, key); at >= 0 && !l.lives[key] && l.held[at] >= l.limits[at].Keys {
		return l.limits[at].reason(l.held[at])
	}
	return ""
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
		l.held[at]++
	default:
		l.held[at]--
	}
}
