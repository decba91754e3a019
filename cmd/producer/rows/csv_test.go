package rows

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// readAll returns the rows of a source as text: key, then values.
func readAll(t *testing.T, src Source) []string {
	t.Helper()
	defer func() { _ = src.Close() }()
	var rows []string
	for {
		key, row, err := src.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, key+showRow(src.Fields(), row))
	}
}

// opened is Open, whose error ends the test.
func opened(t *testing.T, path string, sel Selection) Source {
	t.Helper()
	src, err := Open(t.Context(), path, sel, Watch{})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// changesUnderneath writes text into the file that a source was opened on, and
// reads to the error that names the place.
func changesUnderneath(t *testing.T, src Source, path, text string, at int, want string) {
	t.Helper()
	defer func() { _ = src.Close() }()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte(text), int64(at))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = src.Next()
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %q", err, want)
	}
}

func showRow(fields []replay.Field, row []replay.Value) string {
	var b strings.Builder
	for i, v := range row {
		switch {
		case v.Null:
			b.WriteString(" null")
		case fields[i].Type == cdf.Integer:
			fmt.Fprintf(&b, " %d", v.Int)
		case fields[i].Type == cdf.Text:
			fmt.Fprintf(&b, " %q", v.Text)
		default:
			fmt.Fprintf(&b, " %v", v.Number)
		}
	}
	return b.String()
}

func TestCSVRows(t *testing.T) {
	tests := []struct {
		name    string
		content string
		sel     Selection
		want    []string
	}{
		{"types", "g,i,f,b,t,s\na,1,2.5,true,1970-01-02,x\nb,-1,3,false,1970-01-03,\"y,z\"\n",
			Selection{KeyColumn: "g"}, []string{`a 1 2.5 1 86400 "x"`, `b -1 3 0 172800 "y,z"`}},
		{"empty is null", "g,i,f,s\na,,,\nb,1,2.5,x\n",
			Selection{KeyColumn: "g"}, []string{`a null null null`, `b 1 2.5 "x"`}},
		{"null text", "x,s\nNA,NA\n1,?\n", Selection{Key: "k", Null: []string{"NA", "?"}},
			[]string{"k null null", "k 1 null"}},
		{"words for missing", "x,s\nNA,NA\n1,-\nnull,N/A\n2,b\n", Selection{Key: "k"}, []string{"k null null", "k 1 null", "k null null", `k 2 "b"`}},
		{"but not where text is asked for", "x,s\nNA,NA\n1,\n", Selection{Key: "k", Text: []string{"s"}}, []string{`k null "NA"`, "k 1 null"}},
		{"rows without a key", "g,x\na,1\n,2\nNA,3\n", Selection{KeyColumn: "g"}, []string{"a 1", "NA 3"}},
		{"rows without a key by a word", "g,x\na,1\n,2\nNA,3\n", Selection{KeyColumn: "g", Null: []string{"NA"}, NoKey: "none", Prefix: "p/"}, []string{"p/a 1", "p/none 2", "p/none 3"}},
		{"nameless column left out", ",x\n0,1\n1,2\n", Selection{Key: "k"}, []string{"k 1", "k 2"}},
		{"late text", "x\n1\n2\nthree\n", Selection{Key: "k"}, []string{`k "1"`, `k "2"`, `k "three"`}},
		{"chosen columns in their order", "a,b,c\n1,2,3\n", Selection{Key: "k", Columns: []string{"c", "a"}},
			[]string{"k 3 1"}},
		{"key column on request", "g,x\n7,1\n", Selection{KeyColumn: "g", Columns: []string{"g", "x"}},
			[]string{"7 7 1"}},
		{"key as written, with prefix", "g,x\n007,1\n", Selection{KeyColumn: "g", Prefix: "shop/"},
			[]string{"shop/007 1"}},
		{"mark, carriage returns, blanks in the header", "\uFEFFg , x\r\na,1\r\n", Selection{KeyColumn: "g"},
			[]string{"a 1"}},
		{"doubled column left out", "x,y,y\n1,2,3\n", Selection{Key: "k", Columns: []string{"x"}}, []string{"k 1"}},
		{"quotes that are text", "g,x\na,5\" pipe\nb,\"5\"\" pipe, \"\"long\"\"\"\nc,say \"x\"\n", Selection{KeyColumn: "g"}, []string{`a "5\" pipe"`, `b "5\" pipe, \"long\""`, `c "say \"x\""`}},
		{"quotes that are text in a name", "g;x (\");y\na;1;2\n", Selection{KeyColumn: "g"}, []string{"a 1 2"}},
		{"no line end", "x\n1", Selection{Key: "k"}, []string{"k 1"}},
		{"the minus of typesetting", "i,f,a\n\u221212,\u22121.5,\u22121\u00a0200\n3,2,0\n", Selection{Key: "k"}, []string{"k -12 -1.5 -1200", "k 3 2 0"}},
		{"vertical bars", "g|x\na|1\n", Selection{KeyColumn: "g"}, []string{"a 1"}},
		{"names that are values, chosen", "0.5,1e3\n1,2\n", Selection{Key: "k", Columns: []string{"1e3"}}, []string{"k 2"}},
	}
	for _, tt := range tests {
		for _, packed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s packed=%v", tt.name, packed), func(t *testing.T) {
				path := clitest.WriteFile(t, "in.csv", []byte(tt.content))
				if packed {
					path = clitest.WriteFile(t, "in.csv.gz", clitest.Gzip(t, tt.content))
				}
				src := opened(t, path, tt.sel)
				got := readAll(t, src)
				if fmt.Sprint(got) != fmt.Sprint(tt.want) || src.Rows() != int64(len(tt.want)) {
					t.Errorf("%d rows are %q, want %q", src.Rows(), got, tt.want)
				}
			})
		}
	}
}

func TestCSVErrorsNameFileAndLine(t *testing.T) {
	key := Selection{KeyColumn: "g"}
	tests := []struct {
		name    string
		content string
		sel     Selection
		want    string
	}{
		{"empty file", "", key, "in.csv: unusable input: no header line"},
		{"header only", "g,x\n", key, "in.csv: unusable input: no rows below the header"},
		{"too few fields", "g,x\na,1\nb\n", key, "in.csv:3: unusable input: 1 field where the header has 2; a row has one for each name, empty where there is no value"},
		{"too many fields", "g,x\na,1,2\n", key, `in.csv:2: unusable input: 3 fields where the header has 2; a field that has ',' in it goes in quotes`},
		{"separators at the end of rows", "g;x\na;1;;\n", key, `in.csv:2: unusable input: 4 fields where the header has 2; the line ends in ';', and the header does not: take it off, or add it to the header`},
		{"a title", "Sales\ng,x\n", Selection{Key: "k"}, "in.csv:2: unusable input: 2 fields where the header has 1; if the first line is a title"},
		{"a quote inside quotes", "g,x\na,\"1\"2\"\nb,1\n", key, `in.csv:2:5: unusable input: field 2 is in quotes and goes on behind them; a quote inside is written twice, as in "5"" pipe"`},
		{"a quote inside quotes in the last line", "g,x\na,\"1\"2\"", key, `in.csv:2:5: unusable input: field 2 is in quotes`},
		{"open quote", "g,x\na,1\nb,\"2\nc,3\n", key, `in.csv:3: unusable input: the quotes that field 2 begins with have no end`},
		{"line after a quoted line break", "g,x\na,\"1\n2\"\n,3\n", Selection{KeyColumn: "g", NoKey: "error"}, `in.csv:4: unusable input: no key in column "g"`},
		{"key too long", "g,x\na,1\n" + strings.Repeat("k", 513) + ",1\n", key, "in.csv:3: unusable input: unusable key: 513 bytes"},
		{"key not UTF-8", "g,x\n\xff,1\n", key, "in.csv:2: unusable input: unusable key: \"\\xff\" is not UTF-8"},
		{"name not UTF-8", "g,\xff\na,1\n", key, "in.csv:1: unusable input: column name \"\\xff\" is not UTF-8; iconv -f WINDOWS-1252 -t UTF-8 converts the file, if it is of Western Europe"},
		{"UTF-16", "\xff\xfeg\x00,\x00x\x00", key, "in.csv: unusable input: its text is UTF-16; iconv -f UTF-16 -t UTF-8 converts the file"},
		{"UTF-16, the other way", "\xfe\xff\x00g\x00,\x00x", key, "its text is UTF-16"},
		{"a line for a spreadsheet", "sep=;\r\ng;x\r\na;1\r\n", key, "in.csv: unusable input: its first line, sep=;, is for a spreadsheet and has no names; tail -n +2 leaves it out"},
		{"JSON", `[{"g":1,"x":2}]`, key, "in.csv: unusable input: its text is JSON; give it a name that ends in .json"},
		{"carriage returns", "g,x\ra,1\rb,2\r", key, `in.csv: unusable input: its lines end in carriage returns alone; tr '\r' '\n' converts the file`},
		{"text not UTF-8", "g,x\na,\xff\n", key, "in.csv:2: unusable input: \"\\xff\" is not UTF-8"},
		{"long text not UTF-8", "g,x\na,\xff" + strings.Repeat("x", 1<<20) + "\n", key, "in.csv:2: unusable input: \"\\xff" + strings.Repeat("x", 79) + "…\" is not UTF-8"},
		{"two lines by a carriage return", "g,x\ra,1", key, `its lines end in carriage returns alone`},
		{"no names", "a1,0.5,2\n", Selection{Key: "k", NoKey: "error"}, "no rows below the header"},
		{"values for names", "-0.5,2\n1,2\n", key, `in.csv:1: unusable input: the first line has values, such as "-0.5", and no names of columns: put a line of names before it; if these are names, choose columns with --columns`},
		{"values of two types for names", "2026-01-01,12\n2026-01-02,14\n", key, `the first line has values, such as "2026-01-01"`},
		{"no key column", "x,y\n1,2\n", key, `in.csv: unusable input: no column "g"; the columns are x, y`},
		{"doubled column", "g,x,x\na,1,2\n", key, `in.csv: unusable input: two columns are called "x"`},
		{"nameless columns only", ",g\n1,a\n", key, "in.csv: unusable input: no column is left to send"},
		{"no row with a key", "g,x\n,1\n,2\n", key, "in.csv: unusable input: no rows below the header, but for 2 that have no key"},
		{"column that stays text is missing", "g,x\na,1\n", Selection{KeyColumn: "g", Text: []string{"z"}}, `no column "z"`},
		{"missing column", "g,x\na,1\n", Selection{KeyColumn: "g", Columns: []string{"y"}}, `no column "y"`},
		{"only a key", "g\na\n", key, "no column is left to send besides the key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := clitest.WriteFile(t, "in.csv", []byte(tt.content))
			_, err := Open(t.Context(), path, tt.sel, Watch{})
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
}

func TestCSVEmptyColumnIsMissingNumbers(t *testing.T) {
	path := clitest.WriteFile(t, "in.csv", []byte("x,y\n1,\n2,\n"))
	src := opened(t, path, Selection{Key: "k"})
	defer func() { _ = src.Close() }()
	notes := fmt.Sprint(src.Notes())
	if f := src.Fields()[1]; f.Type != cdf.Float || !strings.Contains(notes, `column "y" has no value`) {
		t.Errorf("field %+v, notes %s, want a float column that is reported", f, notes)
	}
	for sh, err := range Shards(src, 2) {
		if y := sh.Batch.Columns[1].Number; err != nil || !math.IsNaN(y[0]) || !math.IsNaN(y[1]) {
			t.Errorf("y is %v, error %v, want NaN", y, err)
		}
	}
}

func TestCSVThatChanges(t *testing.T) {
	content := "x\n" + strings.Repeat("1\n", 100_000)
	path := clitest.WriteFile(t, "in.csv", []byte(content))
	src := opened(t, path, Selection{Key: "k"})
	changesUnderneath(t, src, path, "z", len(content)-2, `in.csv:100001: unusable input: "z" was not there before`)
}

func TestCSVMustBeAFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "in.csv")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, Selection{Key: "k"}, Watch{}); !errors.Is(err, ErrInput) {
		t.Errorf("a folder gives %v", err)
	}
	if _, err := Open(t.Context(), dir+"/none.csv", Selection{Key: "k"}, Watch{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestSeparators(t *testing.T) {
	for _, c := range []struct{ header, want string }{
		{"a,b;c", ","},
		{"name;price, EUR;x", ";"},
		{"a;b", ";"},
		{"a\tb", "\t"},
		{"\"a,b\";c", ";"},
		{"a", ","},
		{"a\nb;c", ","},
		{"a|b,c|d", "|"},
		{"a|b,c", ","},
	} {
		if got := separator(bufio.NewReader(strings.NewReader(c.header+"\n")), "in.csv"); string(got) != c.want {
			t.Errorf("%q: %q, want %q", c.header, got, c.want)
		}
	}
	path := clitest.WriteFile(t, "in.csv", []byte("\uFEFF\"g\";x\r\n\"a;b\";1,5\r\n"))
	file, columns, err := openCSVFile(path, &Selection{KeyColumn: "g"}, new(about))
	if err != nil {
		t.Fatal(err)
	}
	defer file.close() //nolint:errcheck // only read
	if record, err := file.read(); err != nil || len(columns) != 2 || len(record) != 2 || record[0] != "a;b" || record[1] != "1,5" {
		t.Errorf("%q %q %v", columns, record, err)
	}
}

func TestNotes(t *testing.T) {
	content := "g;price;day;at;mass;sex;;mixed;ok\na;$2,050.10;13/04/2026;04/13/2026;1,5;NA;0;12;x\n;$7;01/04/2026;04/01/2026;2;f;1;n/d;y\nb;$8;02/04/2026;04/02/2026;3;NA;2;13;z\n"
	src := opened(t, clitest.WriteFile(t, "in.csv", []byte(content)), Selection{KeyColumn: "g", NoKey: "none"})
	got := strings.Join(src.Notes(), "\n")
	want := `its columns are separated by semicolons
column 7 has no name, as programs write the names or numbers of rows: it is left out
1 row has no key in column "g": the key is "none"
"NA" is read as missing, 2 times in "sex"; --text C keeps column C as it is
column "price" is in $
column "day" holds dates with the day first (as line 2 has it: "13/04/2026")
column "at" holds dates with the month first (as line 2 has it: "04/13/2026")
column "mass" has decimal commas (as line 2 has it: "1,5")
column "mixed" is text, because "n/d" in line 3 is no number, as 2 of 3 values are: if it means missing, --null "n/d"; otherwise correct the file`
	if got != want {
		t.Errorf("notes:\n%s\nwant:\n%s", got, want)
	}
	_ = src.Close()

	header, row := "x", "1"
	for i := range 100 {
		header, row = header+fmt.Sprintf(",c%d", i), row+","
	}
	src = opened(t, clitest.WriteFile(t, "wide.csv", []byte(header+"\n"+row+"\n")), Selection{Key: "k"})
	if notes := src.Notes(); len(notes) != mostNotes+1 || notes[mostNotes] != "and 70 more" {
		t.Errorf("%d notes, the last %q", len(notes), notes[len(notes)-1])
	}
	_ = src.Close()
}
