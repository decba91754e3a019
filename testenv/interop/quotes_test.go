//go:build unix

package interop

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/producer/rows"
)

// strictly reads texts as Python's csv does: null where it refuses one when told to be
// strict, else its rows as it reads them by itself, with blanks alone as nothing.
const strictly = `
import csv, io, json, sys
def read(text):
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None
    return [[c if c.strip() else "" for c in r] for r in csv.reader(io.StringIO(text, newline="")) if r]
json.dump([read(t) for t in json.load(sys.stdin)], sys.stdout)
`

// TestQuotesAreAsPythonHasThem reads small files of quotes, separators and breaks by chance:
// those that Python's csv refuses when strict are refused, of others every cell is the same.
func TestQuotesAreAsPythonHasThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 4))
	var texts []string
	for range 1500 {
		text := "x,y\n"
		for range 1 + rng.IntN(3) {
			for _, end := range []string{",", "\n"} {
				field := make([]byte, rng.IntN(6))
				for i := range field {
					field[i] = `"" a5b`[rng.IntN(6)]
				}
				word := string(field)
				if rng.IntN(3) == 0 {
					word = `"` + strings.ReplaceAll(word, `"`, `""`) + []string{"", ",", "\n"}[rng.IntN(3)] + `"`
				}
				text += word + end
			}
		}
		texts = append(texts, text)
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	var theirs [][][]string
	if err := json.Unmarshal([]byte(run(t, strings.NewReader(string(in)), python(t), "-c", strictly)), &theirs); err != nil {
		t.Fatal(err)
	}
	name, read, refused := filepath.Join(t.TempDir(), "in.csv"), 0, 0
	for i, text := range texts {
		if slices.ContainsFunc(theirs[i], func(row []string) bool { return len(row) != 2 }) {
			continue // refused for another reason
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ours, err := textsOf(t, name)
		switch {
		case err != nil && theirs[i] == nil:
			refused++
		case err != nil || theirs[i] == nil || !slices.EqualFunc(ours, theirs[i][1:], slices.Equal):
			t.Errorf("%q is %q, %v; Python has %q", text, ours, err, theirs[i])
		default:
			read++
		}
	}
	if read < 300 || refused < 300 {
		t.Errorf("%d texts were read and %d refused: the test shows little", read, refused)
	}
}

// textsOf reads two columns of text, "" for a null.
func textsOf(t *testing.T, name string) (all [][]string, err error) {
	t.Helper()
	src, err := rows.Open(t.Context(), name, rows.Selection{Key: "k", Text: []string{"x", "y"}}, rows.Watch{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }()
	for {
		_, row, err := src.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		cells := make([]string, len(row))
		for i := range row {
			if !row[i].Null {
				cells[i] = string([]byte(row[i].Text)) // a view
			}
		}
		all = append(all, cells)
	}
}
