package quota

// Account counts the keys under a limit while records are applied several at a time.
// Whether a record may make a key is decided in the order of the log, when those before it may
// not have been answered for: what these may come to bounds the count from above. Below the
// limit by that bound a record passes, whatever they come to; else it has to wait until they
// are answered. So the decision is the one of a worker that applies one record at a time, and a
// function of the log and the state.
type Account struct {
	Limit *Limit
	Held  int64 // keys with a state, by the records that were answered
	Bytes int64 // of the states that the store has

	rising  int // records under way that may make one
	falling int // tombstones under way that may take one
}

// Key is what an account knows of one key: eight bytes, for every key in memory has them. The
// zero value is a key of no tenant.
type Key struct {
	Place int16 // of its account, from 1 on
	Lives bool  // it has a state, by the records that were answered

	open int32 // records of the account, rising or falling, that are of this key
}

// Effect is what a record may do to a count.
type Effect uint8

// The effects.
const (
	None Effect = iota
	Rises
	Falls
)

// Admit decides of the next record of a key. It returns what the record may come to, which
// Settle is told when that is known, and why it may make no key, "" where it may. ok is false,
// and nothing is changed, where that depends on records under way.
func (a *Account) Admit(k *Key, tombstone bool) (e Effect, over string, ok bool) {
	switch {
	case tombstone && !k.Lives && k.open == 0:
	case tombstone:
		a.falling++
		k.open++
		return Falls, "", true
	case a.Limit.Keys == 0, k.Lives && k.open == 0:
	case a.Held+int64(a.rising) < a.Limit.Keys:
		a.rising++
		k.open++
		return Rises, "", true
	case a.rising+a.falling > 0:
		return None, "", false
	default:
		return None, a.Limit.reason(a.Held), true
	}
	return None, "", true
}

// Settle takes the outcome of a record: its effect as of Admit, and whether its key has a state
// afterwards. The records of one key come in their order.
func (a *Account) Settle(k *Key, e Effect, lives bool) {
	switch e {
	case Rises:
		a.rising--
		k.open--
	case Falls:
		a.falling--
		k.open--
	case None:
	}
	switch {
	case lives && !k.Lives:
		a.Held++
	case !lives && k.Lives:
		a.Held--
	}
	k.Lives = lives
}
