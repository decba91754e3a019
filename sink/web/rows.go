package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
)

// asked is what a JSON body asks a prediction for: rows, or steps ahead.
type asked struct {
	batch   *cdf.Batch
	horizon int
}

// rowReader reads rows of JSON as the columns that a model's inputs call for,
// one value at a time: a body of many small rows takes no more memory than its
// columns do.
type rowReader struct {
	json    *json.Decoder
	columns []*rowColumn
	byName  map[string]*rowColumn
	most    int // rows
	n       int
}

// rowColumn is one column on its way. Labels are text; what is both a label
// and a number, or a time, is an integer.
type rowColumn struct {
	name          string
	label, number bool
	whole         bool
	gaps          bool // null is a label like others
	moment        bool // numbers are seconds since 1970, which may be written as times
	role          string
	numbers       []float64
	ints          []int64
	codes         []int32
	levels        []string
	index         map[string]int32
}

func newRowReader(body io.Reader, inputs []cdf.Input, most int) *rowReader {
	text := bufio.NewReader(body)
	jsontext.PassMark(text)
	r := &rowReader{json: json.NewDecoder(text), byName: map[string]*rowColumn{}, most: most}
	r.json.UseNumber()
	for i := range inputs {
		in := &inputs[i]
		if in.Role == "response" {
			continue // what is to be predicted
		}
		c := r.byName[in.Name]
		if c == nil {
			c = &rowColumn{name: in.Name, role: in.Role, index: map[string]int32{}}
			r.byName[in.Name] = c
			r.columns = append(r.columns, c)
		}
		c.gaps = (c.gaps || !c.label) && in.Gaps // in every role that has labels
		c.label = c.label || in.Category
		c.number = c.number || !in.Category
		c.whole = c.whole || in.Role == "time"
		c.moment = c.moment || in.Moment
	}
	return r
}

// read reads the body.
func (r *rowReader) read() (asked, error) {
	var a asked
	if err := r.delim('{'); err != nil {
		return a, err
	}
	seen := map[string]bool{}
	for r.json.More() {
		name, err := r.name()
		if err != nil {
			return a, err
		}
		if seen[name] {
			return a, badBody("%q is given twice", name)
		}
		seen[name] = true
		switch name {
		case "rows":
			if a.batch, err = r.rows(); err != nil {
				return a, err
			}
		case "horizon":
			var v any
			if err := r.decode(&v); err != nil {
				return a, err
			}
			text, ok := v.(json.Number)
			whole, fits := int64(0), false
			if ok {
				whole, fits = wholeNumber(text)
			}
			if !fits || whole < 1 || whole > maxHorizon {
				return a, refuse(http.StatusUnprocessableEntity, "bad_horizon", "horizon is a whole number from 1 to %d", maxHorizon)
			}
			a.horizon = int(whole)
		default:
			return a, badBody("unknown key %q (known: rows, horizon)", name)
		}
	}
	if err := r.delim('}'); err != nil {
		return a, err
	}
	if _, err := r.json.Token(); !errors.Is(err, io.EOF) {
		return a, badBody("something follows the JSON object")
	}
	return a, nil
}

// rows reads the list of rows.
func (r *rowReader) rows() (*cdf.Batch, error) {
	if err := r.delim('['); err != nil {
		return nil, err
	}
	for r.json.More() {
		if r.n == r.most {
			return nil, refuse(http.StatusRequestEntityTooLarge, "too_large", "more than %d rows; send them in several requests", r.most)
		}
		if err := r.row(); err != nil {
			return nil, err
		}
		r.n++
	}
	if err := r.delim(']'); err != nil {
		return nil, err
	}
	b := &cdf.Batch{Rows: r.n}
	for _, c := range r.columns {
		column := cdf.Column{Name: c.name, Type: cdf.Float, Number: c.numbers}
		switch {
		case c.integer():
			column.Type, column.Int = cdf.Integer, c.ints
		case c.label:
			column = cdf.Column{Name: c.name, Type: cdf.Text, Code: c.codes, Levels: c.levels}
		}
		b.Columns = append(b.Columns, column)
	}
	return b, nil
}

func (c *rowColumn) integer() bool { return c.whole || c.label && c.number }

// row reads one row. Names that are no inputs are passed over, as in a shard.
func (r *rowReader) row() error {
	if err := r.delim('{'); err != nil {
		return err
	}
	for r.json.More() {
		name, err := r.name()
		if err != nil {
			return err
		}
		var v any
		if err := r.json.Decode(&v); err != nil {
			return badBody("row %d (from 0), %q: the body is not JSON: %v%s", r.n, shorten(name), err, notFinite(err))
		}
		c := r.byName[name]
		if c == nil {
			continue
		}
		if c.size() > r.n {
			return refuse(http.StatusUnprocessableEntity, "given_twice", "row %d has %s %q twice", r.n, c.role, name)
		}
		if err := c.add(v, r.n); err != nil {
			return err
		}
	}
	for _, c := range r.columns {
		if c.size() == r.n {
			return refuse(http.StatusUnprocessableEntity, "missing_value", "row %d (from 0) has no %s %q; %s is needed", r.n, c.role, c.name, c.takes())
		}
	}
	return r.delim('}')
}

func (c *rowColumn) size() int { return max(len(c.numbers), len(c.codes)) }

// takes says what values a column has.
func (c *rowColumn) takes() string {
	switch {
	case c.integer():
		return "a whole number"
	case c.label && c.gaps:
		return "a label (text, an integer, true or false), or null where it is missing,"
	case c.label:
		return "a label (text, an integer, true or false)"
	case c.moment:
		return "a time (2026-01-31, 2026-01-31T08:30:00Z or seconds since 1970)"
	default:
		return "a finite number"
	}
}

// add appends the value of a row.
func (c *rowColumn) add(v any, row int) error {
	wrong := func(code, found string) error {
		return refuse(http.StatusUnprocessableEntity, code, "row %d (from 0): %s %q is %s; %s is needed", row, c.role, c.name, found, c.takes())
	}
	var truth bool
	var text string
	switch x := v.(type) {
	case nil:
		if c.gaps && c.label && !c.integer() {
			c.codes = append(c.codes, -1)
			return nil
		}
		return wrong("missing_value", "null")
	case map[string]any, []any:
		return wrong("wrong_type", "a list or an object")
	case bool:
		truth, text = x, strconv.FormatBool(x)
	case string:
		if seconds, ok := instant(x); ok && c.moment && !c.label {
			c.numbers = append(c.numbers, seconds)
			return nil
		}
		if text = x; !c.label || c.integer() {
			return wrong("wrong_type", "text")
		}
	case json.Number:
		return c.addNumber(x, wrong)
	}
	switch _, isText := v.(string); {
	case c.integer():
		return wrong("wrong_type", "true or false")
	case c.label:
		c.addLabel(text)
	case !isText && truth:
		c.numbers = append(c.numbers, 1)
	default:
		c.numbers = append(c.numbers, 0)
	}
	return nil
}

// instant reads a date or a time with its zone as seconds since 1970.
func instant(text string) (seconds float64, ok bool) {
	for _, form := range []string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(form, text); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true
		}
	}
	return 0, false
}

func (c *rowColumn) addNumber(x json.Number, wrong func(code, found string) error) error {
	whole, isWhole := wholeNumber(x)
	switch {
	case c.integer() && !isWhole:
		return wrong("wrong_type", shorten(x.String()))
	case c.integer():
		c.ints, c.numbers = append(c.ints, whole), append(c.numbers, float64(whole))
	case c.label && !isWhole:
		return wrong("wrong_type", shorten(x.String()))
	case c.label:
		c.addLabel(strconv.FormatInt(whole, 10))
	default:
		f, err := strconv.ParseFloat(x.String(), 64)
		if err != nil || math.IsInf(f, 0) {
			return wrong("not_finite", shorten(x.String())+", which no float64 holds")
		}
		c.numbers = append(c.numbers, f)
	}
	return nil
}

func (c *rowColumn) addLabel(text string) {
	code, known := c.index[text]
	if !known {
		code = int32(len(c.levels))
		c.index[text] = code
		c.levels = append(c.levels, text)
	}
	c.codes = append(c.codes, code)
}

// wholeNumber returns the integer that a number is, also when written as 5.0 and below
// 2^53: above it the number that is read may not be the one that is written.
func wholeNumber(x json.Number) (int64, bool) {
	if v, err := strconv.ParseInt(x.String(), 10, 64); err == nil {
		return v, true
	}
	f, err := strconv.ParseFloat(x.String(), 64)
	return int64(f), err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53
}

// shorten keeps a message short that names what a client sent.
func shorten(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}

// delim reads a bracket.
func (r *rowReader) delim(want json.Delim) error {
	t, err := r.json.Token()
	if err != nil {
		return notJSON(err)
	}
	if t != want {
		return badBody("%v where %v is expected; the body is {\"rows\":[{\"name\":value,...},...]} or {\"horizon\":steps}", shorten(strings.TrimSpace(text(t))), want)
	}
	return nil
}

func text(t json.Token) string {
	if s, ok := t.(string); ok {
		return strconv.Quote(s)
	}
	b, err := json.Marshal(t)
	if d, ok := t.(json.Delim); ok || err != nil {
		return d.String()
	}
	return string(b)
}

func (r *rowReader) name() (string, error) {
	t, err := r.json.Token()
	if err != nil {
		return "", notJSON(err)
	}
	name, ok := t.(string)
	if !ok {
		return "", badBody("a key is expected")
	}
	return name, nil
}

func (r *rowReader) decode(v *any) error {
	if err := r.json.Decode(v); err != nil {
		return notJSON(err)
	}
	return nil
}

func badBody(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "bad_body", format, args...)
}

// notFinite says what is missing where a value seems to be NaN or Infinity, as some programs write them.
func notFinite(err error) string {
	if text := err.Error(); strings.Contains(text, "'N'") || strings.Contains(text, "'I'") {
		return "; JSON has neither NaN nor Infinity: give a finite number, or a label or null where the column takes them"
	}
	return ""
}

// notJSON says what is wrong with a body that is no JSON text.
func notJSON(err error) error { return badBody("the body is not JSON: %v", err) }
