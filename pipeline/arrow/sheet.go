package arrow

import (
	"bytes"
	"slices"
	"sync/atomic"
)

// The posteriors of a model have one form from shard to shard: as many variables,
// whose names are as long, with the same columns undefined or zero. All of a record
// batch but its names and numbers is then the same bytes.

// form is what a record batch of posteriors follows from, up to names and numbers.
type form struct {
	rows, text int
	nulls      [len(numberNames)]int
	zero       uint16 // bits of the columns without a number other than zero
}

func (f *filled) form() form {
	k := form{rows: f.rows, text: f.text, nulls: f.nulls}
	for c, some := range f.some {
		if some == 0 {
			k.zero |= 1 << c
		}
	}
	return k
}

// sheet is a record batch of a form, to be filled in. It is not changed.
type sheet struct {
	form          form
	bytes         []byte
	whole, masked []target
}

// sheets are those of the first forms that were met. They are not replaced: where
// forms change all the time there is nothing to gain.
type sheets [8]atomic.Pointer[sheet]

// sheetRows is how many variables a sheet has at most: of many the numbers are what
// takes time.
const sheetRows = 64

// find returns the sheet of a form, nil where there is none.
func (all *sheets) find(k *form) *sheet {
	for i := range all {
		if s := all[i].Load(); s == nil || s.form == *k {
			return s
		}
	}
	return nil
}

// keep takes a record batch in that was laid out and not filled.
func (all *sheets) keep(k *form, batch []byte, whole, masked []target) {
	if k.rows > sheetRows || all[len(all)-1].Load() != nil {
		return
	}
	s := &sheet{*k, bytes.Clone(batch), slices.Clone(whole), slices.Clone(masked)}
	for i := range all {
		if all[i].CompareAndSwap(nil, s) {
			return
		}
	}
}
