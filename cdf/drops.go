package cdf

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// Drop counts the rows that were left out because of one column. A row counts once,
// for the first of its columns that it lacks: features in their order, then slopes,
// exposure, time and groups.
type Drop struct {
	Column string
	Reason string // one of the below
	Rows   int64
}

// The reasons.
const (
	DropMissing   = "missing"   // a null or NaN
	DropUnlisted  = "unlisted"  // a level that is not listed, under `other: drop`
	DropUndefined = "undefined" // what a formula makes of values that are there is not a finite number
)

var dropReasons = [...]string{DropMissing, DropUnlisted, DropUndefined}

func (d *Drop) compare(e *Drop) int {
	return cmp.Or(strings.Compare(d.Column, e.Column), strings.Compare(d.Reason, e.Reason))
}

// AddDrops adds counts to others, which stay as they are. Both are in the order of
// columns and reasons, and so is the result.
func AddDrops(to, more []Drop) []Drop {
	sum := make([]Drop, 0, len(to)+len(more))
	for len(to) > 0 && len(more) > 0 {
		switch c := to[0].compare(&more[0]); {
		case c < 0:
			sum, to = append(sum, to[0]), to[1:]
		case c > 0:
			sum, more = append(sum, more[0].own()), more[1:]
		default:
			sum = append(sum, Drop{to[0].Column, to[0].Reason, to[0].Rows + more[0].Rows})
			to, more = to[1:], more[1:]
		}
	}
	sum = append(sum, to...)
	for i := range more {
		sum = append(sum, more[i].own())
	}
	return sum
}

// own returns the count with a name that is no view of a batch.
func (d *Drop) own() Drop { return Drop{strings.Clone(d.Column), d.Reason, d.Rows} }

// LastDrops returns the rows that the last Update left out, by column and reason, nil
// where there are none or that call was not successful. They are valid until the next
// call of a filter that shares the workspace.
func (f *Filter) LastDrops() []Drop {
	if f.ws.last != f || f.now.dropped == 0 {
		return nil
	}
	return f.ws.drops
}

// drops appends the rows of the batch that are left out, in order.
func (in *intake) drops(dst []Drop) []Drop {
	if !in.lost {
		return dst
	}
	last := 0
	for row, why := range in.drop {
		if why == used {
			continue
		}
		d := Drop{Rows: 1}
		d.Column, d.Reason = in.reason(row)
		if last >= len(dst) || dst[last].compare(&d) != 0 {
			last = slices.IndexFunc(dst, func(e Drop) bool { return e.compare(&d) == 0 })
		}
		if last < 0 {
			last, dst = len(dst), append(dst, d)
		} else {
			dst[last].Rows++
		}
	}
	slices.SortFunc(dst, func(a, b Drop) int { return a.compare(&b) })
	return dst
}

// reason says why a row is left out.
func (in *intake) reason(row int) (column, reason string) {
	c := in.cause[row]
	name := in.batch.Columns[c.column].Name
	switch {
	case in.made != nil:
		return in.made.Why(in.raw, name, row)
	case c.why == unlisted:
		return name, DropUnlisted
	}
	return name, DropMissing
}

func appendDrops(b []byte, list []Drop) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i := range list {
		d := &list[i]
		b = appendString(b, d.Column)
		b = append(b, byte(slices.Index(dropReasons[:], d.Reason)))
		b = binary.AppendVarint(b, d.Rows)
	}
	return b
}

func readDrops(r *reader) (list []Drop) {
	for range r.length(3) {
		d := Drop{Column: r.string()}
		if b := r.take(1); b != nil && int(b[0]) < len(dropReasons) {
			d.Reason = dropReasons[b[0]]
		}
		d.Rows = r.natural()
		if n := len(list); d.Reason == "" || d.Rows == 0 || n > 0 && list[n-1].compare(&d) >= 0 {
			r.fail("%d rows dropped for column %q", d.Rows, d.Column)
			return nil
		}
		list = append(list, d)
	}
	return list
}
