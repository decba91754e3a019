// Package alert decides when the alerts of a key rise and fall. What it decides is a
// function of the figures of one shard after the other, so that a replay decides the same.
package alert

import (
	"encoding/binary"
	"math"

	"github.com/credence-stream/credence/cdf/quantity"
)

// State is where one alert stands after a shard.
type State struct {
	Name   string
	Sum    uint64 // of the definition that it was counted under
	Run    int64  // consecutive shards that speak for a change
	Raised bool
}

// Event is an alert that rises or falls.
type Event struct {
	Name, When   string
	Raised       bool
	Value        float64 // of the shard, NaN where the alert is withdrawn
	Bound, Clear float64
	For          int64
	Withdrawn    string // why an alert fell that nothing watches any more; empty: it fell
}

// Word returns what became of the alert: raised or cleared.
func (e *Event) Word() string {
	if e.Raised {
		return "raised"
	}
	return "cleared"
}

// The reasons why an alert is withdrawn.
const (
	removed = "the alert is not configured any more"
	Deleted = "the key was deleted"
)

// Step takes the states of a key through a shard whose figures are given in the order
// of the alerts. An alert rises once its figure was above Bound in For consecutive
// shards, and falls once it was below Clear in as many; a figure that is not known, or
// in between, begins the count anew. States are those of alerts that count
// or are raised; before is left as it is.
func Step(before []State, alerts []quantity.Alert, figures []float64) (after []State, events []Event) {
	kept := make([]bool, len(before))
	for i := range alerts {
		a := &alerts[i]
		s := State{Name: a.Name, Sum: a.Sum()}
		for k := range before {
			if before[k].Name == s.Name && before[k].Sum == s.Sum {
				s, kept[k] = before[k], true
			}
		}
		figure := math.NaN()
		if i < len(figures) {
			figure = figures[i]
		}
		speaks := figure > a.Bound
		if s.Raised {
			speaks = figure < a.Clear
		}
		if !speaks {
			s.Run = 0
		} else if s.Run++; s.Run >= a.For {
			s.Raised, s.Run = !s.Raised, 0
			events = append(events, Event{
				Name: a.Name, When: a.When, Raised: s.Raised, Value: figure, Bound: a.Bound, Clear: a.Clear, For: a.For,
			})
		}
		if s.Raised || s.Run > 0 {
			after = append(after, s)
		}
	}
	var gone []State
	for k, s := range before {
		if !kept[k] {
			gone = append(gone, s)
		}
	}
	return after, append(Withdraw(gone, removed), events...)
}

// Withdraw returns that the raised alerts among the states fall because nothing watches
// them any more.
func Withdraw(states []State, why string) (events []Event) {
	for _, s := range states {
		if s.Raised {
			nan := math.NaN()
			events = append(events, Event{Name: s.Name, Value: nan, Bound: nan, Clear: nan, Withdrawn: why})
		}
	}
	return events
}

// Raised returns the names of the alerts that are raised, in their order.
func Raised(states []State) (names []string) {
	for _, s := range states {
		if s.Raised {
			names = append(names, s.Name)
		}
	}
	return names
}

// Append appends the stored form of the states.
func Append(b []byte, states []State) []byte {
	b = binary.AppendUvarint(b, uint64(len(states)))
	for _, s := range states {
		b = binary.AppendUvarint(b, uint64(len(s.Name)))
		b = append(b, s.Name...)
		b = binary.LittleEndian.AppendUint64(b, s.Sum)
		run := uint64(s.Run) << 1
		if s.Raised {
			run |= 1
		}
		b = binary.AppendUvarint(b, run)
	}
	return b
}

// most is how many alerts a key has at most, whatever is configured.
const most = 1000

// Read reads what Append appended and reports whether it is that.
func Read(b []byte) (states []State, ok bool) {
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if ok = ok && n > 0; ok {
			b = b[n:]
		}
		return v
	}
	ok = true
	n := number()
	if ok = ok && n <= most; !ok {
		return nil, false
	}
	for range n {
		size := number()
		if ok = ok && size <= uint64(len(b)); !ok || uint64(len(b))-size < 8 {
			return nil, false
		}
		s := State{Name: string(b[:size]), Sum: binary.LittleEndian.Uint64(b[size:])}
		b = b[size+8:]
		run := number()
		s.Run, s.Raised = int64(run>>1), run&1 == 1
		states = append(states, s)
	}
	return states, ok && len(b) == 0
}
