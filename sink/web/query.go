package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// query reads the parameters of a request. It keeps the first thing that is
// wrong; what nobody asked for is wrong, too, so that a typing error does not
// pass for an answer.
type query struct {
	values url.Values
	known  []string
	wrong  error
}

func newQuery(r *http.Request) *query {
	q := new(query)
	var err error
	if q.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		q.fail("the query can't be read: %v", err)
	}
	return q
}

func (q *query) fail(format string, args ...any) {
	if q.wrong == nil {
		q.wrong = refuse(http.StatusBadRequest, "bad_query", format, args...)
	}
}

// all returns the values of a parameter, at most so many of at most so many
// characters.
func (q *query) all(name string, most, length int) []string {
	q.known = append(q.known, name)
	list := q.values[name]
	if len(list) > most {
		times := "once"
		if most > 1 {
			times = fmt.Sprintf("at most %d times", most)
		}
		q.fail("%s is given %d times; it may be given %s", name, len(list), times)
	}
	for _, v := range list {
		if !utf8.ValidString(v) || utf8.RuneCountInString(v) > length {
			q.fail("%s: a value is at most %d characters of UTF-8", name, length)
		}
	}
	return list
}

// text returns a parameter, none where it is not given.
func (q *query) text(name string, length int, none string) string {
	if list := q.all(name, 1, length); len(list) > 0 {
		return list[0]
	}
	return none
}

// integer returns a parameter between low and high.
func (q *query) integer(name string, low, high, none int) int {
	list := q.all(name, 1, 20)
	if len(list) == 0 {
		return none
	}
	v, err := strconv.Atoi(list[0])
	if err != nil || v < low || v > high {
		q.fail("%s: %q is not a whole number from %d to %d", name, list[0], low, high)
		return none
	}
	return v
}

// moment returns a time in milliseconds since 1970, 0 where it is not given.
func (q *query) moment(name string) int64 {
	list := q.all(name, 1, 64)
	if len(list) == 0 {
		return 0
	}
	seconds, ok := instant(list[0])
	if !ok {
		q.fail("%s: %q is not a time; write it as 2026-01-31 or 2026-01-31T08:30:00Z, with its zone", name, list[0])
	}
	if ms := int64(seconds * 1000); ms != 0 {
		return ms
	}
	return 1 // the first of 1970 is a time like others
}

// choice returns a parameter that is one of few words; "" where it is not given.
func (q *query) choice(name string, words ...string) string {
	list := q.all(name, 1, 64)
	if len(list) == 0 {
		return ""
	}
	if !slices.Contains(words, list[0]) {
		q.fail("%s: %q is none of: %s", name, list[0], strings.Join(words, ", "))
	}
	return list[0]
}

// err returns what is wrong, after all parameters have been read.
func (q *query) err() error {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		switch {
		case slices.Contains(q.known, name):
		case len(q.known) == 0:
			q.fail("unknown parameter %q; there are none here", name)
		default:
			q.fail("unknown parameter %q (known: %s)", name, strings.Join(q.known, ", "))
		}
	}
	return q.wrong
}
