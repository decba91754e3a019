package pipeline

import (
	"fmt"
	"strings"
)

// PrefixLimit bounds the keys of one partition that begin with a prefix. No prefix of a
// configuration begins with another one of it, so that a key is under one limit at most.
type PrefixLimit struct {
	Prefix string `json:"prefix"`
	Keys   int64  `json:"keys"` // that have a state, 0: any number
}

// reason says why a record of a new key is a dead letter, given the keys that there are. It is
// the same whenever and wherever the record is applied.
func (p *PrefixLimit) reason(held int64) string {
	return fmt.Sprintf("the key is new, and the partition has %d keys that begin with %q; limits.prefixes allows %d", held, p.Prefix, p.Keys)
}

// limited returns the place of the limit that a key is under, -1 if it is under none.
func (l *Limits) limited(key string) int { return placeOf(l.Prefixes, key) }

func placeOf(list []PrefixLimit, key string) int {
	for i := range list {
		if strings.HasPrefix(key, list[i].Prefix) {
			return i
		}
	}
	return -1
}

// Tenants returns the same rules with prefixes whose keys are counted: those of the limits, and
// others that have none. What is counted only is no part of the configuration that state
// belongs to.
func (r *Rules) Tenants(all []PrefixLimit) *Rules {
	other := *r
	other.tenants = all
	return &other
}

// quota counts the keys under a limit. Whether a record may make a key is decided when it
// goes to a lane, and by then the lanes may not have answered for records before it: what
// these may come to bounds the count from above. Below the limit by that bound a record
// passes, whatever they come to; else it waits until they are answered. So the decision is
// the one of a worker that applies one record at a time, and a function of the log and the
// state.
type quota struct {
	*PrefixLimit
	held    int64 // keys with a state, by the records that were answered
	rising  int   // records at the lanes that may make one
	falling int   // tombstones at the lanes that may take one
}

// account is what an entry knows of its key. The zero value is of no tenant.
type account struct {
	limit           int32 // place of the limit, from 1 on
	rising, falling int32 // of the quota's
	lives           bool  // the key has a state, by the records that were answered
}

// count begins the accounts of an epoch with the keys that the store has.
func (m *machine) count(held []int64) {
	m.quotas, m.settling = nil, false
	for i := range held {
		m.quotas = append(m.quotas, quota{PrefixLimit: &m.cfg.rules.tenants[i], held: held[i]})
	}
}

// admit decides what the limits say of a task that is to go to its lane. It reports whether
// the task may go now: not where that depends on records that are at the lanes.
func (m *machine) admit(t *task) bool {
	e := t.entry
	if e == nil || e.limit == 0 || t.poison {
		return true
	}
	q := &m.quotas[e.limit-1]
	if t.record.Value == nil {
		if t.falls = e.lives || e.rising > 0; t.falls {
			q.falling++
			e.falling++
		}
		return true
	}
	switch {
	case q.Keys == 0, e.lives && e.falling == 0:
	case q.held+int64(q.rising) < q.Keys:
		t.rises = true
		q.rising++
		e.rising++
	case q.rising+q.falling > 0:
		m.settling = true
		return false
	default:
		t.over = q.reason(q.held)
	}
	return true
}

// settle takes a task's outcome into the account.
func (m *machine) settle(t *task) {
	e := t.entry
	if e == nil || e.limit == 0 {
		return
	}
	q := &m.quotas[e.limit-1]
	if t.rises {
		q.rising--
		e.rising--
	}
	if t.falls {
		q.falling--
		e.falling--
	}
	switch {
	case t.lives && !e.lives:
		q.held++
	case !t.lives && e.lives:
		q.held--
	}
	e.lives = t.lives
}
