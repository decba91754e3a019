// Package gather keeps rows of a key until they are a shard. When they are is a
// function of the key's records alone, so that a replay cuts the same shards.
package gather

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
)

// Rule says when the rows that a key has gathered are a shard: with the record that
// brings them to Rows, or that came Millis or more after the first of them. Zero asks
// for neither: MostRows and mostBytes end a shard too. So does, where Millis ask for it, a record that is
// more than ten years before the first of them: the clock of that one was wrong, and nothing would end its shard by time.
type Rule struct {
	Rows   int
	Millis int64 // between the timestamps of the two records
}

// The bounds of what a key gathers, whatever is configured.
const (
	MostRows  = 10_000
	mostBytes = 1 << 20
)

// On reports whether rows are gathered at all.
func (r Rule) On() bool { return r.Rows > 0 || r.Millis > 0 }

// Form identifies the rule as a part of the configuration that state belongs to, "" where
// nothing is gathered.
func (r Rule) Form() string {
	if !r.On() {
		return ""
	}
	return fmt.Sprintf("gather %d rows %d ms", r.Rows, r.Millis)
}

// ends reports whether rows and bytes that began at a time are a shard with a record of
// another time.
func (r Rule) ends(rows, bytes int, began, now int64) bool {
	return rows >= r.Most() || bytes >= mostBytes || r.Millis > 0 && (now-began >= r.Millis || now > cdf.NoTime && began-now > cdf.FurthestTime)
}

// Most returns how many rows are a shard at the latest, whatever their time.
func (r Rule) Most() int {
	if r.Rows == 0 {
		return MostRows
	}
	return min(r.Rows, MostRows)
}
