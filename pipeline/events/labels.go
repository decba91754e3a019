package events

// labels gives every text that it meets a number, so that a label costs one look-up
// a row and no allocation once it is known.
type labels struct {
	ids   map[string]int32
	names []string
	// codes hold, per text, the last column that has it and its code there.
	codes  []code
	column uint64
	bytes  int
	buffer []byte
}

type code struct {
	column uint64
	code   int32
}

// keptLabels bounds what is known from record to record, as keptBytes does.
const keptLabels = 1 << 15

func (l *labels) reset() {
	if l.ids == nil || len(l.names) > keptLabels || l.bytes > keptBytes {
		*l = labels{ids: make(map[string]int32)}
	}
}

// id returns the number of a text.
func (l *labels) id(text []byte) int32 {
	if id, ok := l.ids[string(text)]; ok {
		return id
	}
	id, name := int32(len(l.names)), string(text)
	l.ids[name] = id
	l.names, l.codes = append(l.names, name), append(l.codes, code{})
	l.bytes += len(name)
	return id
}

// labelBytes is what a label takes beside its bytes, about.
const labelBytes = 64

// lay makes codes and levels of the cells of a column.
func (s *Sheet) lay(c *column) error {
	l := &s.labels
	l.column++
	clear(c.levels)
	c.code, c.levels = c.code[:0], c.levels[:0]
	for i := range c.cells {
		v := &c.cells[i]
		if v.kind == 0 {
			c.code = append(c.code, -1)
			continue
		}
		written := v.text
		if v.kind != text && written == nil {
			l.buffer = v.append(l.buffer[:0])
			written = l.buffer
		}
		at := &l.codes[l.id(written)]
		if at.column != l.column {
			// Also of a text that is known: what a record may take must not depend
			// on those before it.
			if err := s.charge(labelBytes + len(written)); err != nil {
				return err
			}
			*at = code{l.column, int32(len(c.levels))}
			c.levels = append(c.levels, l.names[l.ids[string(written)]])
		}
		c.code = append(c.code, at.code)
	}
	return nil
}
