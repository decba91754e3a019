package web

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
)

// object writes one JSON object, key by key.
type object struct {
	b     []byte
	comma bool
}

// open starts an object within an object, a list or nothing.
func (o *object) open() { o.b, o.comma = append(o.b, '{'), false }

func (o *object) close() { o.b, o.comma = append(o.b, '}'), true }

func (o *object) name(key string) {
	if o.comma {
		o.b = append(o.b, ',')
	}
	o.comma = true
	o.b = append(jsontext.AppendString(o.b, key), ':')
}

func (o *object) text(key, v string) {
	o.name(key)
	o.b = jsontext.AppendString(o.b, v)
}

func (o *object) number(key string, v float64) {
	o.name(key)
	o.b = jsontext.AppendNumber(o.b, v)
}

func (o *object) count(key string, v int64) {
	o.name(key)
	o.b = strconv.AppendInt(o.b, v, 10)
}

func (o *object) truth(key string, v bool) {
	o.name(key)
	o.b = strconv.AppendBool(o.b, v)
}

func (o *object) time(key string, millis int64) {
	o.name(key)
	o.b = append(jsontext.AppendTime(append(o.b, '"'), millis), '"')
}

func (o *object) texts(key string, v []string) {
	o.name(key)
	o.b = jsontext.AppendStrings(o.b, v)
}

// appendList appends a list, each item by the function.
func appendList[T any](dst []byte, items []T, item func([]byte, *T) []byte) []byte {
	dst = append(dst, '[')
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(dst, &items[i])
	}
	return append(dst, ']')
}

// rows writes variables, each with the numbers of cdf.RowColumns.
func (o *object) rows(key string, names []string, numbers []float64, wanted func(string) bool) {
	o.name(key)
	o.b = append(o.b, '[')
	first := true
	for i, name := range names {
		if !wanted(name) {
			continue
		}
		if !first {
			o.b = append(o.b, ',')
		}
		first = false
		row := object{b: o.b}
		row.open()
		row.text("variable", name)
		for c, column := range cdf.RowColumns {
			row.number(column, numbers[i*len(cdf.RowColumns)+c])
		}
		row.close()
		o.b = row.b
	}
	o.b = append(o.b, ']')
}

// flat lays rows out as rows of object takes them.
func flat(list []cdf.Row) (names []string, numbers []float64) {
	for i := range list {
		names = append(names, list[i].Variable)
		for _, v := range list[i].Numbers() {
			numbers = append(numbers, *v)
		}
	}
	return names, numbers
}

// variables returns what tells the variables that globs ask for, separated by
// commas. It may be called by several goroutines.
func variables(globs string) func(string) bool {
	list := strings.Split(globs, ",")
	if slices.Contains(list, "**") {
		return func(string) bool { return true }
	}
	var mu sync.Mutex
	known := map[string]bool{} // the same names come with every key
	return func(name string) bool {
		mu.Lock()
		defer mu.Unlock()
		asked, ok := known[name]
		if !ok {
			asked = slices.ContainsFunc(list, func(glob string) bool { return cdf.Glob(glob, name) })
			known[name] = asked
		}
		return asked
	}
}
