package pipeline

import (
	"fmt"
	"math/big"
)

// simMinute is the minute of the keys that begin with k, by the guarantee: a minute begins with
// the first record of it, also after a pause; what is late or wild begins none. How late or early
// records are is kept, and what follows from it is looked up in all of them.
type simMinute struct {
	at, made int64
	heard    string // of each record: s soon or late, a far ahead, b far behind
	mistaken bool   // a minute that was far ahead turned out to be wrong
}

// hears takes the time of the next record in milliseconds.
func (m *simMinute) hears(ms int64) {
	minute := new(big.Int).Div(big.NewInt(ms), big.NewInt(60_000)).Int64() // rounds down
	kind := "s"
	switch {
	case minute > m.at+60:
		kind = "a"
	case minute < m.at-60:
		kind = "b"
	}
	m.heard += kind
	far := 0
	for far < len(m.heard) && m.heard[len(m.heard)-1-far] != 's' {
		far++
	}
	switch {
	case kind == "s" && minute > m.at, kind == "a" && (far == 8 || !m.mistaken):
		*m = simMinute{at: minute, mistaken: m.mistaken}
	case kind == "b" && far == 8:
		*m = simMinute{at: minute, made: m.made, mistaken: true}
	}
}

// matches says in what a checkpoint differs from it, "" where it does not.
func (m *simMinute) matches(c *Checkpoint) string {
	now, ok := c.Minutes.Of(c.To, "k")
	if got, want := fmt.Sprint(now.Begin, now.Made), fmt.Sprint(m.at, m.made); !ok || got != want {
		return fmt.Sprintf("it has minute and keys made %s (%+v), want %s", got, c.Minutes, want)
	}
	return ""
}
