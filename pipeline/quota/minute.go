package quota

import "time"

// Minute is the minute that the records of a prefix are in, by the times that they have, and
// what was made in it. It is a function of these records in the order of the log; the zero value
// is that of none.
//
// The times are written by producers, so that neither one that is far ahead nor one that is far
// behind may be believed for ever:
//
//   - A record of a later minute, by an hour at most, begins that minute.
//   - One of the same minute, or of an earlier one by an hour at most, is late: it belongs to the
//     present minute.
//   - One that is further ahead begins its minute too, as the first after a pause, unless such a
//     one was wrong before.
//   - Else records that are more than an hour away, in either direction, belong to the present
//     minute, until eight come in a row. The minute of the eighth is then the present one: a new
//     one where it is ahead. Where it is behind, the present one was wrong; what was made in it
//     was made in this one.
//
// So a time that is wrong opens one minute at most, unless eight in a row are, and closes none
// for longer than eight right ones and the minute that they are in.
type Minute struct {
	Begin int64 `json:"begin"`          // minutes since 1970
	Made  int64 `json:"made,omitempty"` // keys
	Away  int   `json:"away,omitempty"` // records in a row that are more than an hour away
	Wary  bool  `json:"wary,omitempty"` // the records went back, once
}

const (
	nearMinutes = 60
	awayRecords = 8
)

// See takes the time of the next record, in milliseconds since 1970. It reports whether a minute
// begins, in which nothing was made yet.
func (m *Minute) See(ms int64) (begins bool) {
	minute := time.Minute.Milliseconds()
	at := ms / minute
	if ms%minute < 0 {
		at--
	}
	away := at - m.Begin
	switch {
	case away > nearMinutes && !m.Wary, away > 0 && away <= nearMinutes:
	case away <= 0 && away >= -nearMinutes:
		m.Away = 0
		return false
	case m.Away+1 < awayRecords:
		m.Away++
		return false
	}
	m.Begin, m.Away = at, 0
	if away < 0 {
		m.Wary = true
		return false
	}
	m.Made = 0
	return true
}

// String is when the minute begins.
func (m *Minute) String() string {
	return time.UnixMilli(m.Begin * time.Minute.Milliseconds()).UTC().Format("2006-01-02T15:04Z")
}

// Minutes are those of all prefixes at a watermark. They are kept beside it.
type Minutes struct {
	At int64             `json:"at"`
	By map[string]Minute `json:"by"` // by prefix, nil: none were kept
}

// Of returns the minute of a prefix at a watermark. None were kept below it where ok is false.
func (m Minutes) Of(at int64, prefix string) (_ Minute, ok bool) {
	is, ok := m.By[prefix]
	return is, ok && m.At == at
}
