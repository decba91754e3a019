package try

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/cmd/producer/rows"
	"github.com/credence-stream/credence/models/kind"
)

// A column of names of rows is no key: it is said before anything starts, in memory for
// as many keys as may be.
func TestAKeyOfEveryRow(t *testing.T) {
	file := sales(t, 100_000)
	x := begin(t, file, func(t *trial) { t.ask.Selection.KeyColumn = "id" })
	<-x.done
	if !errors.Is(x.result, errTooMany) || !strings.Contains(x.result.Error(), `column "id" has more than 50,000 different values in 50,001 rows`) {
		t.Errorf("a model for each row: %v", x.result)
	}
	if said := x.err.String(); strings.Contains(said, "live page") {
		t.Errorf("it began all the same: %s", said)
	}
}

// Keys at the bound are all there.
func TestAsManyKeysAsMayBe(t *testing.T) {
	file := sales(t, 2000)
	x := begin(t, file, func(t *trial) { t.mostKeys, t.mostRead, t.ask.Selection.KeyColumn = 20, 4, "shop" })
	<-x.done
	if x.result != nil {
		t.Fatal(x.result)
	}
	if out := x.out.String(); !strings.Contains(out, "(20 keys)\nEffects, doubts and flags are those of the 4 keys with the most rows.\n") || !strings.Contains(out, "of 4 keys") {
		t.Errorf("of 20 keys, 4 that are read:\n%s", out)
	}
	if x.census.rows != 2000 || !strings.Contains(x.err.String(), "a model for each of 20 values of shop") {
		t.Errorf("the file of 2000 rows is looked at once, and %d rows were:\n%s", x.census.rows, x.err.String())
	}
	x = begin(t, file, func(t *trial) { t.mostKeys, t.ask.Selection.KeyColumn = 19, "shop" })
	<-x.done
	if !errors.Is(x.result, errTooMany) {
		t.Errorf("the 20th of 19 keys: %v", x.result)
	}
}

// What is kept is bounded: of a file the first rows are learnt from, and it is said how
// many and what to do; standard input is refused.
func TestAsManyBytesAsAreKept(t *testing.T) {
	file := sales(t, 5000)
	x := begin(t, file, func(t *trial) { t.rows, t.mostBytes, t.ask.Selection.KeyColumn = 10, 100<<10, "shop" })
	<-x.done
	if x.result == nil || !strings.Contains(x.result.Error(), "rows fill 100 KiB, which is as much as is kept here; the rest needs real servers") {
		t.Errorf("a file beyond the bound: %v", x.result)
	}
	if !strings.Contains(x.out.String(), "What was learnt about sold") {
		t.Errorf("what was learnt before is not told: %s", x.out.String())
	}
	most := int64(1000)
	for _, n := range []int{1000, 1001} {
		name, err := keep(t.TempDir(), strings.NewReader("a\n"+strings.Repeat("1", n-2)), "stdin", "", most)
		if n <= int(most) {
			if info, statErr := os.Stat(name); err != nil || statErr != nil || info.Size() != int64(n) {
				t.Errorf("%d bytes under a bound of %d: %v, %v", n, most, err, statErr)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "the input has more than 1,000 bytes; a file whose name ends in its format is not copied") {
			t.Errorf("%d bytes under a bound of %d: %v", n, most, err)
		}
	}
}

// A file that gets more keys while it is read is learnt from up to there.
func TestTheGuardOfKeys(t *testing.T) {
	name := clitest.WriteFile(t, "f.csv", []byte("k,y\na,1\nb,2\na,3\nc,4\n"))
	x := &trial{flags: &flags{}, mostKeys: 2}
	x.ask.Selection.KeyColumn = "k"
	src, err := rows.Open(t.Context(), name, x.ask.Selection, rows.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	k := &known{Source: src, trial: x, keys: map[string]int64{}}
	for range 3 {
		if _, _, err := k.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := k.Next(); !errors.Is(err, errTooMany) || !strings.Contains(err.Error(), "in 4 rows") {
		t.Errorf("a third key of two: %v", err)
	}
}

// The first bytes tell the format, unless it is given.
func TestEndings(t *testing.T) {
	for _, c := range []struct{ head, format, want string }{
		{"a,b\n1,2\n", "", ".csv"}, {"\uFEFFa;b\n", "", ".csv"}, {" \n{\"a\": 1}\n", "", ".jsonl"}, {"[{\"a\": 1}]", "", ".json"},
		{"PAR1....", "", ".parquet"}, {"ARROW1\x00\x00", "", ".arrow"}, {"\xff\xff\xff\xff\x10", "", ".arrow"},
		{"{a},b\n", "csv", ".csv"}, {string(clitest.Gzip(t, "a,b\n")), "", ".csv.gz"}, {string(clitest.Gzip(t, "{}\n")), "", ".jsonl.gz"},
	} {
		if got, err := endingOf([]byte(c.head), c.format); got != c.want || err != nil {
			t.Errorf("%.10q, format %q: %q, want %q (%v)", c.head, c.format, got, c.want, err)
		}
	}
	for _, head := range []string{"", " \n", string(clitest.Gzip(t, "PAR1")), string(clitest.Gzip(t, ""))} {
		if got, err := endingOf([]byte(head), ""); err == nil {
			t.Errorf("%.10q is taken for %s", head, got)
		}
	}
}

// Shards have about a twentieth of a key's rows.
func TestRowsOfAShard(t *testing.T) {
	for _, c := range []struct {
		rows int64
		keys int
		want int
	}{{100_000, 20, 250}, {100, 1, 5}, {10, 10, 5}, {2000, 1, 100}, {1_000_000, 1, 500}, {0, 0, 5}} {
		keys := map[string]int64{}
		for i := range c.keys {
			keys[fmt.Sprint(i)] = 1
		}
		if got := (&census{keys: keys, rows: c.rows}).shard(); got != c.want {
			t.Errorf("%d rows of %d keys: %d, want %d", c.rows, c.keys, got, c.want)
		}
	}
}

// A pipe of a packed file, and of one whose name tells nothing, is the file.
func TestAPipeIsTheFile(t *testing.T) {
	text, err := os.ReadFile(sales(t, 500))
	if err != nil {
		t.Fatal(err)
	}
	var reports []string
	for _, in := range [][]byte{text, clitest.Gzip(t, string(text))} {
		x := begin(t, "-", func(t *trial) { t.stdin, t.ask.Selection.KeyColumn = bytes.NewReader(in), "shop" })
		<-x.done
		if x.result != nil {
			t.Fatal(x.result)
		}
		reports = append(reports, strings.ReplaceAll(x.out.String(), "stdin.csv.gz", "stdin.csv"))
	}
	name := clitest.WriteFile(t, "sales.data", text)
	x := begin(t, name, func(t *trial) { t.format, t.ask.Selection.KeyColumn = "csv", "shop" })
	<-x.done
	if x.result != nil {
		t.Fatal(x.result)
	}
	if reports[0] != reports[1] || !strings.Contains(reports[0], "(20 keys)") {
		t.Errorf("packed and plain give\n%s\n%s", reports[1], reports[0])
	}
	// The numbers are those of the file, whatever it is called.
	numbers := func(report string) string {
		_, rest, _ := strings.Cut(report, "What matters most")
		rest, _, _ = strings.Cut(rest, "To keep it")
		return rest
	}
	if numbers(x.out.String()) != numbers(reports[0]) {
		t.Errorf("%s gives\n%s", filepath.Base(name), x.out.String())
	}
}

// TestManyResponses: of hundreds of columns that could be the response those that are listed are looked at, for each looks at all.
func TestManyResponses(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		for j := range 200 {
			if i == 0 {
				fmt.Fprintf(&b, "x%d,", j)
			} else {
				fmt.Fprintf(&b, "%d.5,", i*(j+3)%211)
			}
		}
		b.WriteString("1\n")
	}
	looks := 0
	x := begin(t, clitest.WriteFile(t, "wide.csv", []byte(b.String())), func(tr *trial) {
		tr.ask.Wish.Response = ""
		linear := *tr.Kinds[0]
		suggest := linear.Suggest
		linear.Suggest = func(p *kind.Profile) kind.Suggestion {
			looks++
			return suggest(p)
		}
		tr.Kinds = kind.Registry{&linear}
	})
	<-x.done
	if said := fmt.Sprint(x.result); !strings.HasSuffix(said, "\n  and 180 more columns") || looks != mostListed {
		t.Errorf("%d looks: %s", looks, said)
	}
}

// What is wrong with the input is told of the file or of standard input, not of the copy that was read.
func TestACopyIsCalledByItsName(t *testing.T) {
	short := "x,sold\n" + strings.Repeat("1,2\n", 2000) + "1\n" // beyond what tells the format
	file := clitest.WriteFile(t, "week 7.txt", []byte(short))
	for _, c := range []struct{ file, format, want string }{
		{"-", "", "standard input:2002: unusable input: 1 field where the header has 2; a row has one for each name, empty where there is no value"},
		{"-", "parquet", "standard input: unusable input: no Parquet file; it looks like text: give it a name that ends in .csv or .jsonl (--format parquet)"},
		{file, "csv", file + ":2002: unusable input: 1 field where the header has 2; a row has one for each name, empty where there is no value (--format csv)"},
	} {
		x := begin(t, c.file, func(t *trial) { t.format, t.stdin = c.format, strings.NewReader(short) })
		<-x.done
		if !errors.Is(x.result, rows.ErrInput) || x.result.Error() != c.want {
			t.Errorf("%s, --format %q: %v, want %q", c.file, c.format, x.result, c.want)
		}
	}
}

// A file that is read as its --format has it gives the key its name.
func TestACopyHasTheNameOfItsFile(t *testing.T) {
	file := clitest.WriteFile(t, "week 7.txt", []byte("x,sold\n"+strings.Repeat("1,2\n2,4\n3,5\n", 20)))
	x := begin(t, file, func(t *trial) { t.format = "csv" })
	<-x.done
	if x.result != nil {
		t.Fatal(x.result)
	}
	if said := x.err.String(); !strings.Contains(said, "one model for all rows, under the key week 7\n") {
		t.Errorf("the key: %s", said)
	}
	if out := x.out.String(); !strings.Contains(out, "from week 7.txt (1 key)") || !strings.Contains(out, "\n  # with "+file+" under the name week 7.csv\n") || !strings.Contains(out, "replay --input 'week 7.csv' ") {
		t.Errorf("the report: %s", out)
	}
}
