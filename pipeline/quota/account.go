package quota

// Account counts the keys under a limit while records are applied several at a time.
// Whether a record may make a key is decided in the order of the log, when those before it may
// not have been answered for: what these may come to bounds the counts from above. Below the
// limits by that bound a record passes, whatever they come to; else it has to wait until they
// are answered. So the decision is the one of a worker that applies one record at a time, and a
// function of the log and the state.
type Account struct {
	Limit *Limit
	Held  int64 // keys with a state, by the records that were answered
	Bytes int64 // of the states that the store has
	// Minute is that of the last record that was admitted. What those under way make in it is
	// not in it yet.
	Minute Minute

	turn    uint32 // counts the minutes that began
	rising  int    // records under way that may make a key
	fresh   int    // of these, admitted in the present minute
	falling int    // tombstones under way that may take one
}

// Key is what an account knows of one key: eight bytes, for every key in memory has them. The
// zero value is a key of no tenant.
type Key struct {
	Place int16 // of its account, from 1 on
	Lives bool  // it has a state, by the records that were answered

	open int32 // records of the account, rising or falling, that are of this key
}

// effect is what a record may do to a count.
type effect uint8

// The effects.
const (
	none effect = iota
	rises
	falls
)

// Pass is how a record was admitted.
type Pass struct {
	effect effect
	turn   uint32 // of the minute in which it was
}

// Admit decides of the next record of a key, with its time in milliseconds. It returns what Settle
// is told when the outcome is known, and why it may make no key. ok is false, and nothing is
// changed, where that depends on records under way.
func (a *Account) Admit(k *Key, ms int64, tombstone bool) (p Pass, over Over, ok bool) {
	now, turn, fresh := a.Minute, a.turn, a.fresh
	if a.Limit.PerMinute > 0 && now.See(ms) {
		turn, fresh = turn+1, 0
	}
	p.turn = turn
	switch {
	case tombstone && !k.Lives && k.open == 0:
	case tombstone:
		a.falling++
		k.open++
		p.effect = falls
	case !a.Limit.OfNew(), k.Lives && k.open == 0:
	case a.room(&now, fresh):
		a.rising++
		fresh++
		k.open++
		p.effect = rises
	case a.rising+a.falling > 0:
		return Pass{}, Over{}, false
	default:
		over = a.Limit.over(a.Held, &now)
	}
	a.Minute, a.turn, a.fresh = now, turn, fresh
	return p, over, true
}

// room reports whether there is room for a key more, whatever those under way come to.
func (a *Account) room(now *Minute, fresh int) bool {
	l := a.Limit
	held := a.Held + int64(a.rising)
	return (l.Keys == 0 || held < l.Keys) && l.roomFor(held+1) && (l.PerMinute == 0 || now.Made+int64(fresh) < l.PerMinute)
}

// Skip admits a record that will make no key, whatever the limits are.
func (a *Account) Skip(ms int64) Pass {
	if a.Limit.PerMinute > 0 && a.Minute.See(ms) {
		a.turn, a.fresh = a.turn+1, 0
	}
	return Pass{turn: a.turn}
}

// Settle takes the outcome of a record: how it was admitted, and whether its key has a state
// afterwards. The records of one key come in their order. It reports whether the record has made
// the key.
func (a *Account) Settle(k *Key, p Pass, lives bool) (made bool) {
	switch p.effect {
	case rises:
		a.rising--
		k.open--
		if p.turn == a.turn {
			a.fresh--
		}
	case falls:
		a.falling--
		k.open--
	case none:
	}
	switch made = lives && !k.Lives; {
	case made:
		a.Held++
		if p.turn == a.turn {
			a.Minute.Made++
		}
	case !lives && k.Lives:
		a.Held--
	}
	k.Lives = lives
	return made
}

// Mark is the minute of an account at a place in the log.
type Mark struct {
	Minute Minute
	turn   uint32
}

// Mark returns that of the record that was admitted last.
func (a *Account) Mark() Mark { return Mark{a.Minute, a.turn} }

// Made counts a key that a record before the mark has made after it was set.
func (m *Mark) Made(p Pass) {
	if p.turn == m.turn {
		m.Minute.Made++
	}
}
