package web

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
)

// object writes a JSON object, key by key, and those within it.
type object struct {
	b     []byte
	comma bool // something stands before what comes next
}

// newObject returns an object that is open.
func newObject() object { return object{b: []byte{'{'}} }

// next makes room for a member or an item.
func (o *object) next() {
	if o.comma {
		o.b = append(o.b, ',')
	}
	o.comma = false
}

// open starts an object: the value of a name, or the next item of a list.
func (o *object) open() {
	o.next()
	o.b = append(o.b, '{')
}

func (o *object) close() { o.value(append(o.b, '}')) }

// line ends the whole and returns it.
func (o *object) line() []byte { return append(o.b, '}', '\n') }

func (o *object) name(key string) {
	o.next()
	o.b = append(jsontext.AppendString(o.b, key), ':')
}

// value takes the text with a value appended.
func (o *object) value(b []byte) { o.b, o.comma = b, true }

func (o *object) raw(key string, v []byte) {
	o.name(key)
	o.value(append(o.b, v...))
}

func (o *object) text(key, v string) {
	o.name(key)
	o.value(jsontext.AppendString(o.b, v))
}

func (o *object) number(key string, v float64) {
	o.name(key)
	o.value(jsontext.AppendNumber(o.b, v))
}

func (o *object) count(key string, v int64) {
	o.name(key)
	o.value(strconv.AppendInt(o.b, v, 10))
}

// maybe writes a count, or null where it is not known.
func (o *object) maybe(key string, v int64, known bool) {
	if known {
		o.count(key, v)
	} else {
		o.raw(key, null)
	}
}

var null = []byte("null")

func (o *object) truth(key string, v bool) {
	o.name(key)
	o.value(strconv.AppendBool(o.b, v))
}

func (o *object) time(key string, millis int64) {
	o.name(key)
	o.value(append(jsontext.AppendTime(append(o.b, '"'), millis), '"'))
}

func (o *object) texts(key string, v []string) {
	o.name(key)
	o.value(jsontext.AppendStrings(o.b, v))
}

// begin and end enclose a list.
func (o *object) begin(key string) {
	o.name(key)
	o.b = append(o.b, '[')
}

func (o *object) end() { o.value(append(o.b, ']')) }

// appendList writes a list of objects, the members of each by the function.
func appendList[T any](o *object, key string, items []T, members func(*object, *T)) {
	o.begin(key)
	for i := range items {
		o.open()
		members(o, &items[i])
		o.close()
	}
	o.end()
}

// rows writes variables, each with the numbers of cdf.RowColumns.
func (o *object) rows(key string, names []string, numbers []float64, wanted func(string) bool) {
	o.begin(key)
	for i, name := range names {
		if !wanted(name) {
			continue
		}
		o.open()
		o.text("variable", name)
		for c, column := range cdf.RowColumns {
			o.number(column, numbers[i*len(cdf.RowColumns)+c])
		}
		o.close()
	}
	o.end()
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
