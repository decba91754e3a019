package pipeline

import (
	"encoding/binary"
	"fmt"

	"github.com/credence-stream/credence/pipeline/alert"
	"github.com/credence-stream/credence/pipeline/gather"
)

// An envelope's sections are what not every key has: each a tag, its length and its
// bytes, in ascending order of the tags.
const (
	sectionAlerts  = 'A'
	sectionWaiting = 'W' // where the last shard ended, and the rows that wait
)

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
	case sectionWaiting:
		r := reader{b: body}
		e.Ended = &gather.Mark{Offset: r.varint(), Time: r.varint()}
		if e.Waiting, ok = gather.Read(r.b); r.bad || !ok || e.Ended.Offset < -1 {
			return false
		}
		return e.Ended.Offset < e.Offset && (e.Waiting == nil || e.Waiting.Tell().Began.Offset <= e.Offset)
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

// SetSections reads what Sections returned. ErrDamaged, wrapped, says that it is none.
func (e *Envelope) SetSections(b []byte) error {
	r, last := reader{b: b}, byte(0)
	for len(r.b) > 0 && !r.bad {
		tag := r.b[0]
		r.b = r.b[1:]
		body := r.bytes()
		if r.bad || tag <= last || !e.setSection(tag, body) {
			return fmt.Errorf("%w: section %q of a stored state that this program does not read", ErrDamaged, tag)
		}
		last = tag
	}
	if r.bad {
		return fmt.Errorf("%w: sections of a wrong length", ErrDamaged)
	}
	return nil
}
