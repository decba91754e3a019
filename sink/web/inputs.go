package web

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// missingLevel is what a row may have in place of a missing label that is a level of its own.
const missingLevel = "__missing__"

// checkInputs refuses rows that a model would drop, and names the column, the
// row and what is allowed: who asks for a prediction wants one for every row.
func checkInputs(inputs []cdf.Input, b *cdf.Batch) error {
	for i := range inputs {
		in := &inputs[i]
		if in.Role == "response" {
			continue
		}
		at := slices.IndexFunc(b.Columns, func(c cdf.Column) bool { return c.Name == in.Name })
		if at < 0 {
			return missing(in, b)
		}
		if err := checkColumn(in, &b.Columns[at], b.Rows); err != nil {
			return err
		}
	}
	return nil
}

func missing(in *cdf.Input, b *cdf.Batch) error {
	for _, s := range b.Skipped {
		if s.Name == in.Name {
			return refuse(http.StatusUnprocessableEntity, "wrong_type", "%s column %q has type %s, which is not read", in.Role, in.Name, s.Type)
		}
	}
	return refuse(http.StatusUnprocessableEntity, "missing_value", "%s column %q is missing", in.Role, in.Name)
}

func checkColumn(in *cdf.Input, c *cdf.Column, rows int) error {
	wrong := func(row int, code, format string, args ...any) error {
		return refuse(http.StatusUnprocessableEntity, code, "row %d (from 0): %s %q %s", row, in.Role, in.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case in.Category && c.CheckLabels(in.Role) != nil: // a column without any value may have any type
		return refuse(http.StatusUnprocessableEntity, "wrong_type", "%s column %q holds numbers with fractions; labels are text, integers, booleans, dates or times", in.Role, in.Name)
	case !in.Category && c.Type == cdf.Text:
		return refuse(http.StatusUnprocessableEntity, "wrong_type", "%s column %q holds text; numbers are needed", in.Role, in.Name)
	case in.Role == "time" && c.Type != cdf.Integer && c.Type != cdf.Time:
		return refuse(http.StatusUnprocessableEntity, "wrong_type", "time column %q does not hold integers or dates", in.Name)
	}
	if !in.Category {
		for row, v := range c.Number {
			switch {
			case math.IsNaN(v):
				return wrong(row, "missing_value", "is null; a finite number is needed")
			case math.IsInf(v, 0):
				return wrong(row, "not_finite", "is infinite; a finite number is needed")
			case in.Scale > 0 && math.IsInf((v-in.Center)/in.Scale, 0):
				return wrong(row, "not_finite", "is %g, which no float64 holds once it is centred and scaled", v)
			case in.Role == "exposure" && v <= 0:
				return wrong(row, "not_positive", "is %v; an exposure is above 0", v)
			}
		}
		return nil
	}
	known := map[string]bool{missingLevel: in.Gaps}
	for _, level := range in.Levels {
		known[level] = true
	}
	open := in.Role == "group" || in.Other == "level"
	for row := range rows {
		label, ok := c.Label(row)
		switch {
		case !ok && in.Gaps:
		case !ok:
			return wrong(row, "missing_value", "is null; a label is needed")
		case !open && !known[label]:
			return wrong(row, "unknown_level", "has no level %q; there are %s", shorten(label), levelList(in.Levels))
		}
	}
	return nil
}

// shownLevels bounds the levels that a message lists.
const shownLevels = 20

func levelList(levels []string) string {
	var list []string
	for _, level := range levels[:min(len(levels), shownLevels)] {
		list = append(list, fmt.Sprintf("%q", shorten(level)))
	}
	if more := len(levels) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}
