package rows

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/clitest"
)

func TestJSONRows(t *testing.T) {
	for _, c := range []struct {
		name, content string
		sel           Selection
		want          []string
	}{
		{"types", `{"g":"a","i":1,"f":2.5,"b":true,"t":"1970-01-02","s":"x"}` + "\n" + `{"s":"y\"z","t":"1970-01-03","b":false,"f":3,"i":-1,"g":"b"}`,
			Selection{KeyColumn: "g"}, []string{`a 1 2.5 1 86400 "x"`, `b -1 3 0 172800 "y\"z"`}},
		{"missing and null are null", `{"x":1,"s":"x"}` + "\n" + `{"x":null}` + "\n" + `{"s":null,"x":2}`,
			Selection{Key: "k"}, []string{`k 1 "x"`, "k null null", "k 2 null"}},
		{"large integers exactly", `{"x":9223372036854775807}` + "\n" + `{"x":-9007199254740993}`,
			Selection{Key: "k"}, []string{"k 9223372036854775807", "k -9007199254740993"}},
		{"beyond int64 as numbers", `{"x":9223372036854775808}` + "\n" + `{"x":1}`, Selection{Key: "k"}, []string{"k 9.223372036854776e+18", "k 1"}},
		{"numbers in quotes are text", `{"x":"007"}` + "\n" + `{"x":"1"}`, Selection{Key: "k"}, []string{`k "007"`, `k "1"`}},
		{"late text", `{"x":1.50}` + "\n" + `{"x":true}` + "\n" + `{"x":"three"}`, Selection{Key: "k"}, []string{`k "1.50"`, `k "true"`, `k "three"`}},
		{"dates and numbers", `{"x":"2001-02-03"}` + "\n" + `{"x":5}`, Selection{Key: "k"}, []string{`k "2001-02-03"`, `k "5"`}},
		{"words for missing", `{"s":""}` + "\n" + `{"s":"NA"}` + "\n" + `{"s":"no data"}` + "\n" + `{"s":"b"}`, Selection{Key: "k", Null: []string{"no data"}}, []string{"k null", "k null", "k null", `k "b"`}},
		{"texts that are numbers", `{"x":"$2,050.10","b":"Yes"}` + "\n" + `{"x":850.25,"b":false}` + "\n" + `{"x":7}`, Selection{Key: "k"}, []string{"k 2050.1 1", "k 850.25 0", "k 7 null"}},
		{"decimal commas beside numbers", `{"x":"1,5"}` + "\n" + `{"x":1.204}`, Selection{Key: "k"}, []string{"k 1.5", "k 1.204"}},
		{"rows without a key", `{"g":null,"x":1}` + "\n" + `{"x":2}` + "\n" + `{"g":"","x":3}` + "\n" + `{"g":"a","x":4}`, Selection{KeyColumn: "g"}, []string{"a 4"}},
		{"an array", ` [{"x":1,"s":"a]}\"["},` + "\n\n" + `  {"x":2,` + "\n" + `"s":null} ] ` + "\n", Selection{Key: "k"}, []string{`k 1 "a]}\"["`, "k 2 null"}},
		{"chosen columns", `{"a":1,"b":{"c":[1]},"d":2}` + "\n" + `{"z":3,"a":4}`, Selection{Key: "k", Columns: []string{"d", "a"}}, []string{"k 2 1", "k null 4"}},
		{"keys", `{"g":7,"x":1}` + "\n" + `{"x":2,"g":true}`, Selection{KeyColumn: "g", Prefix: "p/"}, []string{"p/7 1", "p/true 2"}},
		{"mark, empty lines, carriage returns, no end", "\uFEFF\n{\"x\":1}\r\n\r\n  \n { \"x\" : 2 } ", Selection{Key: "k"}, []string{"k 1", "k 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, path := range []string{
				clitest.WriteFile(t, "in.jsonl", []byte(c.content)), clitest.WriteFile(t, "in.NDJSON", []byte(c.content)),
				clitest.WriteFile(t, "in.jsonl.gz", clitest.Gzip(t, c.content)),
			} {
				src := opened(t, path, c.sel)
				if got := readAll(t, src); fmt.Sprint(got) != fmt.Sprint(c.want) || src.Rows() != int64(len(c.want)) {
					t.Errorf("%s: %d rows are %q, want %q", filepath.Base(path), src.Rows(), got, c.want)
				}
			}
		})
	}
}

// The first rows decide what the columns are, here all but the last key.
func TestJSONColumnsOfTheHead(t *testing.T) {
	head := strings.Repeat(`{"a":1}`+"\n", jsonHead-1) + `{"b":2}` + "\n"
	src := opened(t, clitest.WriteFile(t, "in.jsonl", []byte(head+`{"b":3}`)), Selection{Key: "k"})
	if got := readAll(t, src); len(got) != jsonHead+1 || got[jsonHead-1] != "k null 2" || got[jsonHead] != "k null 3" {
		t.Errorf("%d rows, the last two %q", len(got), got[jsonHead-1:])
	}
	late := clitest.WriteFile(t, "late.jsonl", []byte(head+`{"a":1,"c":2}`))
	_, err := Open(t.Context(), late, Selection{Key: "k"}, Watch{})
	if want := fmt.Sprintf(`late.jsonl:%d: unusable input: "c" is new here`, jsonHead+1); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--columns") {
		t.Errorf("error is %v, want %q and what to do", err, want)
	}
	src = opened(t, late, Selection{Key: "k", Columns: []string{"c"}})
	if got := readAll(t, src); got[jsonHead] != "k 2" {
		t.Errorf("chosen by name: %q", got[jsonHead])
	}
}

func TestJSONErrorsNameFileAndLine(t *testing.T) {
	one, key := Selection{Key: "k"}, Selection{KeyColumn: "g", NoKey: "error"}
	for _, c := range []struct {
		name, content string
		sel           Selection
		want          string
	}{
		{"empty file", "", one, "in.jsonl: unusable input: no rows"},
		{"twice", `{"x":1}` + "\n" + `{"x":1,"y":2,"x":3}`, one, `in.jsonl:2: unusable input: "x" is there twice`},
		{"twice by an escape", `{"x":1,"\u0078":3}`, one, `in.jsonl:1: unusable input: "x" is there twice`},
		{"object", `{"x":1}` + "\n\n" + `{"x":{"a":[1,{}]}}`, one, `in.jsonl:3: unusable input: the value of "x" is an object or an array`},
		{"array", `{"x":[1,2]}`, one, "flatten it first"},
		{"chosen object", `{"x":{},"y":1}`, Selection{Key: "k", Columns: []string{"x"}}, `in.jsonl:1: unusable input: the value of "x" is an object`},
		{"an empty array", "[ ]", one, "in.jsonl: unusable input: no rows"},
		{"array of numbers", "[\n1,2]", one, "in.jsonl:2: unusable input: value 1 of the array is not an object"},
		{"array cut off", `[{"x":1},` + "\n" + `{"x":`, one, "in.jsonl:2: unusable input: the file ends inside its array, after object 1"},
		{"a comma behind the last of an array", "[{\"x\":1},\n]", one, "in.jsonl:2: unusable input: a comma stands behind object 1, the last of the array: take it off"},
		{"a comma behind the last value", `{"x":1,}`, one, "(a comma stands between two values, and not behind the last)"},
		{"single quotes", `{'x':1}`, one, "at byte 2 of the line (JSON has names and texts in double quotes)"},
		{"no value", `{"x":}`, one, "looking for beginning of value at byte 6 of the line"},
		{"a word of Python", `{"x":True}`, one, "(JSON has true and false in small letters)"},
		{"another word", `{"x":yes}`, one, "invalid character 'y' looking for beginning of value at byte 6 of the line"},
		{"the rows inside an object", `{"data":[{"x":1}]}`, one, `if these are the rows, jq '.["data"]' takes them out`},
		{"array without a comma", `[{"x":1}` + "\n" + `{"x":2}]`, one, "in.jsonl:2: unusable input: '{' follows object 1 of the array"},
		{"after the array", `[{"x":1}] [`, one, `"[" follows the array`},
		{"NaN in an array", `[{"x":NaN}]`, one, "a missing number is null"},
		{"twice in an array", `[{"x":1},` + "\n" + `{"x":1,"x":2}]`, one, `in.jsonl:2: unusable input: "x" is there twice`},
		{"pretty-printed", "{\n \"x\": 1\n}", one, "in.jsonl:1: unusable input: the object does not end on its line; each line is one whole object: jq -c . writes them so"},
		{"cut off", `{"x":1}` + "\n" + `{"x":`, one, "in.jsonl:2: unusable input: the object does not end on its line"},
		{"no object", `{"x":1}` + "\n" + `3`, one, "in.jsonl:2: unusable input: not an object"},
		{"two objects", `{"x":1} {"x":2}`, one, "in.jsonl:1: unusable input: something follows the object"},
		{"NaN", `{"x":NaN}`, one, "a missing number is null"},
		{"not UTF-8", "{\"x\":\"\xff\"}", one, "in.jsonl:1: unusable input: not UTF-8"},
		{"half a pair", `{"x":"\ud83d"}`, one, "half of a surrogate pair"},
		{"no key", `{"g":"a","x":1}` + "\n" + `{"x":1}`, key, `in.jsonl:2: unusable input: no key in column "g"`},
		{"null key", `{"g":null,"x":1}`, key, `in.jsonl:1: unusable input: no key in column "g"`},
		{"broken key", `{"g":1.5,"x":1}`, key, "a key is text, an integer or a boolean"},
		{"nested key", `{"g":[],"x":1}`, key, "a key is text, an integer or a boolean"},
		{"long key", `{"g":"` + strings.Repeat("k", 513) + `","x":1}`, key, "in.jsonl:1: unusable input: unusable key: 513 bytes"},
		{"missing column", `{"x":1}`, Selection{Key: "k", Columns: []string{"y"}}, "in.jsonl: unusable input: no column"},
		{"nameless", `{"":1}`, one, "no column is left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(t.Context(), clitest.WriteFile(t, "in.jsonl", []byte(c.content)), c.sel, Watch{})
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
}

func TestJSONColumnWithoutValues(t *testing.T) {
	src := opened(t, clitest.WriteFile(t, "in.jsonl", []byte(`{"x":1,"y":null}`)), Selection{Key: "k"})
	defer func() { _ = src.Close() }()
	if f := src.Fields()[1]; f.Type != cdf.Float || !strings.Contains(fmt.Sprint(src.Notes()), `column "y" has no value`) {
		t.Errorf("field %+v, notes %q", f, src.Notes())
	}
}

func TestJSONThatChanges(t *testing.T) {
	content := strings.Repeat(`{"x":111}`+"\n", 20_000)
	path := clitest.WriteFile(t, "in.jsonl", []byte(content))
	src := opened(t, path, Selection{Key: "k"})
	changesUnderneath(t, src, path, `{"x":"1"}`, len(content)-10, `in.jsonl:20000: unusable input: "1" was not there before`)
}

// TestJSONNumbersInQuotes: of fractions in quotes that might have been thousands there is nothing to say.
func TestJSONNumbersInQuotes(t *testing.T) {
	src := opened(t, clitest.WriteFile(t, "in.jsonl", []byte(`{"x":"9.178","y":1}`+"\n"+`{"x":"10.25","y":2}`)), Selection{Key: "k"})
	defer func() { _ = src.Close() }()
	if f := src.Fields()[0]; f.Type != cdf.Float || len(src.Notes()) > 0 {
		t.Errorf("field %+v, notes %q", f, src.Notes())
	}
}
