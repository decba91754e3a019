package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/cdf"
)

// unasked marks a text of a batch that was not looked up yet.
const unasked int32 = -1 << 31

// levels looks the levels of all rows up.
func (s *scratch) levels(b *cdf.Batch, a *settled, at *placed) error {
	if s.coded == len(s.codes) {
		s.codes = append(s.codes, nil)
	}
	codes := slices.Grow(s.codes[s.coded][:0], b.Rows)[:b.Rows]
	s.codes[s.coded] = codes
	s.coded++
	at.codes = codes
	if a.factor != nil && a.factor.part != "" {
		return s.calendar(b, a, codes)
	}
	c, err := s.find(b, a.column(), "feature")
	if err != nil {
		return err
	}
	if err := c.CheckLabels("feature"); err != nil {
		return err
	}
	if err := c.CheckTimes(); err != nil {
		return err
	}
	if c.Type == cdf.Text {
		s.seen = slices.Grow(s.seen[:0], len(c.Levels))[:len(c.Levels)]
		for i := range s.seen {
			s.seen[i] = unasked
		}
	}
	for row := range codes {
		code := s.level(c, row, a)
		if code == failing {
			label, _ := c.Label(row)
			return fmt.Errorf("%w: level %q of column %q in row %d is not listed", cdf.ErrShard, label, c.Name, row+1)
		}
		codes[row] = code
	}
	return nil
}

// level returns the level of a row; where it has no label, that of missing values or missing.
func (s *scratch) level(c *cdf.Column, row int, a *settled) int32 {
	if c.Type == cdf.Text {
		text := c.Code[row]
		if text < 0 {
			return a.gap
		}
		code := s.seen[text]
		if code == unasked {
			code = a.code(c.Levels[text])
			s.seen[text] = code
		}
		return code
	}
	if math.IsNaN(c.Number[row]) {
		return a.gap
	}
	if c.Type == cdf.Integer {
		s.label = strconv.AppendInt(s.label[:0], c.Int[row], 10)
		if code, known := a.index[string(s.label)]; known {
			return code
		}
		return a.open
	}
	label, _ := c.Label(row)
	return a.code(label)
}

func (a *settled) code(label string) int32 {
	if code, known := a.index[label]; known {
		return code
	}
	return a.open
}

// calendar finds the levels of a part of a time.
func (s *scratch) calendar(b *cdf.Batch, a *settled, codes []int32) error {
	v, err := s.numbers(b, a.factor.column, "feature")
	if err != nil {
		return err
	}
	part, from := parts[a.factor.part], calendarLevels[a.factor.part].from
	for i, t := range v {
		if codes[i] = missing; !math.IsNaN(t) {
			if k := ofCalendar(part, t); !math.IsNaN(k) {
				codes[i] = int32(k) - int32(from)
			}
		}
	}
	return nil
}
