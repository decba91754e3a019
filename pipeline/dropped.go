package pipeline

import (
	"strings"

	"github.com/credence-stream/credence/cdf"
)

const (
	// mostDropped bounds what a process tells apart of dropped rows, for a label of a
	// metric may not have as many values as data have columns.
	mostDropped = 200
	// otherColumns is the column of what is beyond.
	otherColumns = "__other__"
)

// lost is what rows of a kind of model were dropped for.
type lost struct{ kind, column, reason string }

// droppedRows counts rows by what they were dropped for.
type droppedRows map[lost]int64

// add counts the rows of a shard and returns where they were counted.
func (d droppedRows) add(kind string, drop *cdf.Drop) lost {
	at := lost{kind, strings.ToValidUTF8(drop.Column, "\ufffd"), drop.Reason}
	if _, known := d[at]; !known && len(d) >= mostDropped {
		at.column = otherColumns
	}
	d[at] += drop.Rows
	return at
}

// list returns the counts of all kinds, in the order of columns and reasons.
func (d droppedRows) list() (sum []cdf.Drop) {
	for at, rows := range d {
		sum = cdf.AddDrops(sum, []cdf.Drop{{Column: at.column, Reason: at.reason, Rows: rows}})
	}
	return sum
}
