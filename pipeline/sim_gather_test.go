package pipeline

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// What the oracle knows of rows that wait: written from the guarantees and from the
// description of their stored form (ADR 44).

// gather puts a record's numbers behind those of its key and returns them all where they
// are a shard, nil where they wait. Last is the offset of the key's record before.
func (b *simBranch) gather(s *simKey, last int64, numbers []int, r *Record) []int {
	w := &s.waiting
	if b.rows == 0 && b.millis == 0 || len(w.numbers) == 0 && b.rows > 0 && len(numbers) >= b.rows {
		return numbers
	}
	if len(w.numbers) == 0 {
		w.records, w.offset, w.time = 0, r.Offset, r.Time
	}
	if !w.since {
		w.since, w.ended, w.endedAt = true, -1, 0
		if s.present {
			w.ended, w.endedAt = last, s.time
		}
	}
	w.numbers = append(slices.Clone(w.numbers), numbers...)
	w.records++
	if b.rows > 0 && len(w.numbers) >= b.rows || b.millis > 0 && (r.Time-w.time >= b.millis || r.Time > 1 && w.time-r.Time > 315_532_800_000) {
		return w.numbers
	}
	return nil
}

// matches says in what the end of an envelope is not what waits, "" where it is. Rest
// begins with the length of the snapshot.
func (w *simWaiting) matches(value, rest []byte) string {
	natural := func() int {
		v, n := binary.Uvarint(rest)
		rest = rest[max(n, 0):]
		return int(v)
	}
	signed := func() int64 {
		v, n := binary.Varint(rest)
		rest = rest[max(n, 0):]
		return v
	}
	if value[2] < 4 {
		if w.since {
			return "nothing waits in it"
		}
		return ""
	}
	rest = rest[natural():] // the snapshot
	rest = rest[natural():] // the summary
	if rest[0] != 'W' {
		return fmt.Sprintf("a section %q", rest[0])
	}
	rest = rest[1:]
	if n := natural(); n != len(rest)-4 {
		return fmt.Sprintf("a section of %d bytes of %d", n, len(rest)-4)
	}
	got := fmt.Sprint(true, signed(), signed())
	if want := fmt.Sprint(w.since, w.ended, w.endedAt); got != want {
		return fmt.Sprintf("the last shard ended at %s, want %s", got, want)
	}
	var numbers []int
	if len(rest) > 4 {
		got = fmt.Sprint(signed(), signed(), natural())
		if want := fmt.Sprint(w.offset, w.time, w.records); got != want {
			return fmt.Sprintf("offset, time and records of what waits are %s, want %s", got, want)
		}
		rows := natural()
		if columns, name := natural(), rest[:4]; columns != 1 || string(name) != "\x01y\x00\x01" {
			return fmt.Sprintf("%d columns, the first %q", columns, name)
		}
		for i := range rows {
			numbers = append(numbers, int(math.Float64frombits(binary.LittleEndian.Uint64(rest[4+8*i:]))))
		}
	}
	if !slices.Equal(numbers, w.numbers) {
		return fmt.Sprintf("%v wait, want %v", numbers, w.numbers)
	}
	return ""
}
