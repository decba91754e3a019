package pipeline

import "strings"

// Ledger knows which keys under limits there are while a log is gone through in its order, so
// that what is recomputed meets the limits that a worker met. It is for one goroutine.
type Ledger struct {
	followed []string // prefixes that are under a limit somewhere in the log
	lives    map[string]bool
	limits   Limits
	held     []int64 // keys under each limit in force
}

// NewLedger returns one that knows of no key, for a log that was applied under these
// configurations. about, where it is not empty, is the only key whose limits matter.
// ErrDamaged, wrapped, says that limits cannot be read.
func NewLedger(configured []Configured, about string) (*Ledger, error) {
	l := &Ledger{lives: map[string]bool{}}
	for _, c := range configured {
		limits, err := c.ReadLimits()
		if err != nil {
			return nil, err
		}
		for _, p := range limits.Prefixes {
			if strings.HasPrefix(about, p.Prefix) || about == "" {
				l.followed = append(l.followed, p.Prefix)
			}
		}
	}
	return l, nil
}

// Follows reports whether the ledger has to know of a key. A nil one follows none.
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

// under has the limits in force from here on.
func (l *Ledger) under(limits Limits) {
	if l == nil {
		return
	}
	l.limits, l.held = limits, make([]int64, len(limits.Prefixes))
	for key := range l.lives {
		if at := limits.limited(key); at >= 0 {
			l.held[at]++
		}
	}
}

// over says why no key may be made, "" if one may.
func (l *Ledger) over(key string) string {
	if at := l.limits.limited(key); at >= 0 && !l.lives[key] && l.held[at] >= l.limits.Prefixes[at].Keys {
		return l.limits.Prefixes[at].reason(l.held[at])
	}
	return ""
}

// set notes whether a key has a state.
func (l *Ledger) set(key string, lives bool) {
	was := l.lives[key]
	if lives {
		l.lives[key] = true
	} else {
		delete(l.lives, key)
	}
	if at := l.limits.limited(key); at >= 0 && lives != was {
		if lives {
			l.held[at]++
		} else {
			l.held[at]--
		}
	}
}
