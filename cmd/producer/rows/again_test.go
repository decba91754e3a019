package rows

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/credence-stream/credence/cmd/internal/clitest"
)

// A file that is read again gives the same rows and notes, also after Close, in every
// format; a Watch is told of every key, also where no column would need a first pass.
func TestAgain(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "g", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "price", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int32},
	}, nil)
	const lines = `{"g":"a","price":"$2,050.10","n":1}
{"g":null,"price":"$7","n":2}
{"g":"b","price":"-","n":3}
{"g":"a","price":"$1","n":4}
`
	const object = `[{"g":"a","price":"$2,050.10","n":1},{"g":null,"price":"$7","n":2},{"g":"b","price":"-","n":3},{"g":"a","price":"$1","n":4}]`
	rec := jsonRecord(t, schema, object)
	typed := jsonRecord(t, arrow.NewSchema([]arrow.Field{schema.Field(0), schema.Field(2)}, nil), object)
	files := []string{
		clitest.WriteFile(t, "in.csv", []byte("g,price,n\na,\"$2,050.10\",1\n,$7,2\nb,-,3\na,$1,4\n")),
		clitest.WriteFile(t, "in.jsonl", []byte(lines)), clitest.WriteFile(t, "in.json", []byte(object)),
		store(t, "in.arrow", rec), store(t, "in.arrows", rec), store(t, "in.parquet", rec),
		store(t, "typed.arrow", typed), store(t, "typed.parquet", typed),
	}
	for _, file := range files {
		for _, watched := range []bool{false, true} {
			var w Watch
			var keys []string
			if watched {
				w.Key = func(key string) error {
					keys = append(keys, string([]byte(key)))
					return nil
				}
			}
			src, err := Open(t.Context(), file, Selection{KeyColumn: "g", Prefix: "p/"}, w)
			if err != nil {
				t.Fatal(err)
			}
			said := fmt.Sprint(keys)
			rows := readAll(t, src)
			if want := "[p/a p/b p/a]"; watched && (said != want || src.Rows() != 3) {
				t.Errorf("%s: keys %s of %d rows, want %s of 3", filepath.Base(file), said, src.Rows(), want)
			}
			for range 2 {
				again, err := src.Again()
				if err != nil {
					t.Fatal(err)
				}
				if got := readAll(t, again); !slices.Equal(got, rows) || len(rows) != 3 {
					t.Errorf("%s: again %q, first %q", filepath.Base(file), got, rows)
				}
				if !slices.Equal(again.Notes(), src.Notes()) || again.Rows() != src.Rows() {
					t.Errorf("%s: again %d rows and %q, first %d and %q", filepath.Base(file), again.Rows(), again.Notes(), src.Rows(), src.Notes())
				}
				src = again
			}
			if watched && len(keys) != 3 {
				t.Errorf("%s: reading again looked at all keys again: %q", filepath.Base(file), keys)
			}
		}
	}
}

// An error of a Watch ends the first pass at its row.
func TestAWatchEnds(t *testing.T) {
	enough := errors.New("enough")
	rec := jsonRecord(t, arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int32}}, nil), `[{"n":1},{"n":2},{"n":3}]`)
	for _, file := range []string{
		clitest.WriteFile(t, "in.csv", []byte("n\n1\n2\n3\n")), clitest.WriteFile(t, "in.jsonl", []byte("{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")),
		store(t, "in.arrow", rec), store(t, "in.parquet", rec),
	} {
		met := 0
		_, err := Open(t.Context(), file, Selection{Key: "k"}, Watch{Key: func(string) error {
			if met++; met == 2 {
				return enough
			}
			return nil
		}})
		if !errors.Is(err, enough) || met != 2 {
			t.Errorf("%s: %v after %d rows", filepath.Base(file), err, met)
		}
	}
}

// What the first pass found out holds: a file that has changed is an error, not a column
// of another type.
func TestAgainOfAFileThatChanges(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"in.csv", "n\n1\n2\n", "n\n1\nz\n"}, {"in.jsonl", "{\"n\":1}\n{\"n\":2}\n", "{\"n\":1}\n{\"n\":\"z\"}\n"},
	} {
		path := clitest.WriteFile(t, c.name, []byte(c.before))
		src := opened(t, path, Selection{Key: "k"})
		readAll(t, src)
		if err := os.WriteFile(path, []byte(c.after), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := src.Again()
		if err != nil {
			t.Fatal(err)
		}
		changesUnderneath(t, again, path, "", 0, `"z" was not there before: the file has changed`)
	}
}
