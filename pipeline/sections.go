package pipeline

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/alert"
	"github.com/credence-stream/credence/pipeline/gather"
)

// An envelope's sections are what not every key has: each a tag, its length and its
// bytes, in ascending order of the tags.
const (
	sectionAlerts  = 'A'
	sectionMoved   = 'M' // the partition that the key was in, and whether records came since
	sectionWaiting = 'W' // where the last shard ended, and the rows that wait
)

// sectionTags are all tags, in their order.
var sectionTags = []byte{sectionAlerts, sectionMoved, sectionWaiting}

// section is one of them.
type section struct {
	tag  byte
	body []byte
}

// sections returns those that the envelope has.
func (e *Envelope) sections() (all []section) {
	if len(e.Alerts) > 0 {
		all = append(all, section{sectionAlerts, alert.Append(nil, e.Alerts)})
	}
	if e.Moved != nil {
		all = append(all, section{sectionMoved, e.Moved.append(nil)})
	}
	if e.Ended != nil {
		body := binary.AppendVarint(nil, e.Ended.Offset)
		body = binary.AppendVarint(body, e.Ended.Time)
		all = append(all, section{sectionWaiting, e.Waiting.Append(body)})
	}
	return all
}

// setSection takes the bytes of a section and reports whether they are such.
func (e *Envelope) setSection(tag byte, body []byte) (ok bool) {
	switch tag {
	case sectionAlerts:
		e.Alerts, ok = alert.Read(body)
		return ok && len(e.Alerts) > 0
	case sectionMoved:
		e.Moved, ok = readMoved(body)
		return ok
	case sectionWaiting:
		r := reader{b: body}
		e.Ended = &gather.Mark{Offset: r.varint(), Time: r.varint()}
		if e.Waiting, ok = gather.Read(r.b); r.bad || !ok || e.Ended.Offset < -1 {
			return false
		}
		return e.Moved != nil || e.Ended.Offset < e.Offset && (e.Waiting == nil || e.Waiting.Tell().Began.Offset <= e.Offset)
	}
	return false
}

// Sections returns them in the stored form, nothing where there are none.
func (e *Envelope) Sections() []byte {
	var b []byte
	for _, s := range e.sections() {
		b = append(b, s.tag)
		b = binary.AppendUvarint(b, uint64(len(s.body)))
		b = append(b, s.body...)
	}
	return b
}

// SetSections reads what Sections returned. ErrDamaged, wrapped, says that it is none,
// cdf.ErrLater that one of them is of a later release.
func (e *Envelope) SetSections(b []byte) error {
	r, last := reader{b: b}, byte(0)
	for len(r.b) > 0 && !r.bad {
		tag := r.b[0]
		r.b = r.b[1:]
		body := r.bytes()
		switch {
		case r.bad || tag <= last:
			return fmt.Errorf("%w: section %q of a stored state is cut short or out of order", ErrDamaged, tag)
		case bytes.IndexByte(sectionTags, tag) < 0:
			return fmt.Errorf("stored state %w: section %q, this one reads %q", cdf.ErrLater, tag, sectionTags)
		case !e.setSection(tag, body):
			return fmt.Errorf("%w: section %q of a stored state", ErrDamaged, tag)
		}
		last = tag
	}
	if r.bad {
		return fmt.Errorf("%w: sections of a wrong length", ErrDamaged)
	}
	return nil
}

// Moved says that a key came from another partition when its topic was rescaled, and
// that no shard of it has ended since: what the envelope says of its last shard, and of
// rows that wait, is of that partition.
type Moved struct {
	Partition int32
	// Resumed says that records of the present partition were applied: the envelope's
	// Offset is one of them.
	Resumed bool
}

func (m *Moved) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.Partition))
	if m.Resumed {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func readMoved(b []byte) (*Moved, bool) {
	r := reader{b: b}
	id, resumed := r.uvarint(), r.uvarint()
	if r.bad || len(r.b) > 0 || id > 1<<31-1 || resumed > 1 {
		return nil, false
	}
	return &Moved{int32(id), resumed == 1}, true
}

// applied reports whether a record of the present partition is in the state.
func (e *Envelope) applied(offset int64) bool {
	return (e.Moved == nil || e.Moved.Resumed) && offset <= e.Offset
}

// source is the partition in which the last shard ended.
func (e *Envelope) source(now Partition) Partition {
	if e.Moved != nil {
		now.ID = e.Moved.Partition
	}
	return now
}

// MoveStored returns the stored value of a key as another partition holds it, to which
// the key belongs after its topic was rescaled: everything is as it was, and says where
// its offsets are from. ErrDamaged, wrapped, says that the value cannot be right.
func MoveStored(key string, value Stored, from int32) (Stored, error) {
	var e Envelope
	if err := e.UnmarshalBinary(value); err != nil {
		return nil, fmt.Errorf("key %q: %w", key, err)
	}
	e.move(from)
	return e.AppendBinary(nil)
}

// move notes the partition that the key leaves. One that was rescaled before and had no
// shard since is still about the partition before that; where it has rows of both, the
// end of its last shard is what readers know it by.
func (e *Envelope) move(from int32) {
	if e.Moved == nil {
		e.Moved = &Moved{Partition: from}
		return
	}
	e.Moved = &Moved{Partition: e.Moved.Partition}
}
