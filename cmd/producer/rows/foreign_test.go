package rows

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/credence-stream/credence/cmd/internal/clitest"
)

// wide is text in UTF-16 without a mark.
func wide(text string, little bool) string {
	var b strings.Builder
	for _, c := range utf16.Encode([]rune(text)) {
		if little {
			b.Write([]byte{byte(c), byte(c >> 8)})
		} else {
			b.Write([]byte{byte(c >> 8), byte(c)})
		}
	}
	return b.String()
}

// TestFilesThatAreNoText has files whose name says text and that are something else: they are
// refused for what they are, whether packed or not.
func TestFilesThatAreNoText(t *testing.T) {
	tail := strings.Repeat("\x01\x02\r\x00,\n", 50)
	for _, c := range []struct{ name, content, want string }{
		{"zstd", "\x28\xb5\x2f\xfd" + tail, "it is packed by zstd, which is not read; zstd -d unpacks it"},
		{"bzip2", "BZh91AY&SY" + tail, "it is packed by bzip2"},
		{"xz", "\xfd7zXZ\x00" + tail, "it is packed by xz"},
		{"zip", "PK\x03\x04" + tail, "it is a zip archive, as .xlsx and .ods are; unzip it, or save a sheet as CSV"},
		{"xls", "\xd0\xcf\x11\xe0" + tail, "it is a file of a spreadsheet (.xls)"},
		{"Parquet", "PAR1" + tail, "it is a Parquet file; give it a name that ends in .parquet"},
		{"Arrow", "ARROW1" + tail, "it is an Arrow file"},
		{"Arrow stream", "\xff\xff\xff\xff" + tail, "it is an Arrow stream"},
		{"SQLite", "SQLite format 3\x00" + tail, "it is a database of SQLite"},
		{"UTF-32", "\xff\xfe\x00\x00x\x00\x00\x00", "its text is UTF-32; iconv"},
		{"UTF-32, the other way", "\x00\x00\xfe\xff\x00\x00\x00x", "its text is UTF-32; iconv"},
		{"UTF-16 without a mark", wide("x,y\n1,2\n", true), "its text is UTF-16, without a mark; iconv -f UTF-16LE -t UTF-8 converts the file"},
		{"UTF-16 without a mark, the other way", wide("x,y\n1,2\n", false), "its text is UTF-16, without a mark; iconv -f UTF-16BE -t UTF-8 converts the file"},
		{"a byte of 0", "the name,x\x00,y\n1,2,3\n", "its first line has bytes of 0: it is no text"},
		{"a page", "\n <!DOCTYPE html>\n<html><body>log in</body></html>\n", "it is a page or XML; look whether it is what you meant to download"},
	} {
		for _, ending := range []string{".csv", ".tsv", ".jsonl", ".json", ".csv.gz"} {
			content := []byte(c.content)
			if strings.HasSuffix(ending, ".gz") {
				content = clitest.Gzip(t, c.content)
			}
			_, err := Open(t.Context(), clitest.WriteFile(t, "in"+ending, content), Selection{Key: "k"}, Watch{})
			if want := "in" + ending + ": unusable input: " + c.want; !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", c.name, err, want)
			}
		}
	}
	twice := clitest.Gzip(t, string(clitest.Gzip(t, "x\n1\n")))
	if _, err := Open(t.Context(), clitest.WriteFile(t, "in.csv.gz", twice), Selection{Key: "k"}, Watch{}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "it is packed by gzip twice") {
		t.Errorf("packed twice: %v", err)
	}
}

// TestDamagedPackages says of packed files what is the matter with them, not with their text.
func TestDamagedPackages(t *testing.T) {
	whole := clitest.Gzip(t, "x\n"+strings.Repeat("1\n23\n4567\n", 500))
	broken := append([]byte(nil), whole...)
	broken[len(broken)-6] ^= 1 // of the checksum
	text := clitest.Gzip(t, strings.Repeat("{\"x\": 1}\n{\"x\": 234}\n", 500))
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"cut.csv.gz":    {whole[:len(whole)-9], "ends in the middle of its data: it was not copied whole"},
		"end.csv.gz":    {whole[:len(whole)-3], "ends in the middle of its data: it was not copied whole"},
		"broken.csv.gz": {broken, "the packed file is damaged: gzip: invalid checksum"},
		"cut.jsonl.gz":  {text[:len(text)-9], "ends in the middle of its data: it was not copied whole"},
		"cut.json.gz":   {text[:len(text)-9], "ends in the middle of its data: it was not copied whole"},
	} {
		_, err := Open(t.Context(), clitest.WriteFile(t, name, c.content), Selection{Key: "k"}, Watch{})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), name+":") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestTitlesAreNoNames says what to do where the first line is a title: the names below it
// are more fields than it has.
func TestTitlesAreNoNames(t *testing.T) {
	for content, hint := range map[string]bool{"# sales\nx,y\n1,2\n": true, "x,y\n1,2,3\n": false} {
		_, err := Open(t.Context(), clitest.WriteFile(t, "in.csv", []byte(content)), Selection{Key: "k"}, Watch{})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "in.csv:2: ") || strings.Contains(err.Error(), "tail -n +2 leaves it out") != hint {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// TestPackedOrNot reads files of text by what they are where their name says the contrary.
func TestPackedOrNot(t *testing.T) {
	for name, content := range map[string][]byte{
		"packed.csv": clitest.Gzip(t, "x\n1\n"), "plain.csv.gz": []byte("x\n1\n"),
		"packed.jsonl": clitest.Gzip(t, `{"x":1}`), "plain.jsonl.gz": []byte(`{"x":1}`),
	} {
		src := opened(t, clitest.WriteFile(t, name, content), Selection{Key: "k"})
		if got := readAll(t, src); fmt.Sprint(got) != "[k 1]" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestNamesThatMayBeValues notes what looks like a first row, and no more than that.
func TestNamesThatMayBeValues(t *testing.T) {
	for header, noted := range map[string]string{
		"harbour,0.5,12":             "0.5",        // a row of a file without names
		"2026-05-01,harbour,23":      "2026-05-01", // same, and no number has a fraction
		"harbour,true,3":             "true",
		"7,12,3":                     "7",
		"shop,2024,2025":             "", // years across
		"shop,2026-01-01,2026-02-01": "",
		"0,1,2":                      "", // columns that a program numbered
		",0,1":                       "",
		"x,y,no":                     "",
		"mean,25%,50%":               "",
	} {
		src := opened(t, clitest.WriteFile(t, "in.csv", []byte(header+"\n1,2,3\n")), Selection{Key: "k"})
		var got string
		for _, note := range src.Notes() {
			if strings.Contains(note, "if the first line is a row, put a line of names before it") {
				got = note
			}
		}
		if want := fmt.Sprintf("a column is called %q: ", noted); (got != "") != (noted != "") || noted != "" && !strings.HasPrefix(got, want) {
			t.Errorf("%s: note %q, want of %q", header, got, noted)
		}
		_ = src.Close()
	}
}

// TestNoArrowAndNoParquet has files that their names call tables and that are none, or not
// all of one: what is the matter is said, and what helps.
func TestNoArrowAndNoParquet(t *testing.T) {
	table := "PAR1" + strings.Repeat("\x00", 30)
	for _, c := range []struct{ name, content, want string }{
		{"text.parquet", "x,y\n1,2\n", "no Parquet file; it looks like text: give it a name that ends in .csv or .jsonl"},
		{"text.arrow", "x,y\n1,2\n", "neither an Arrow file nor an Arrow stream; it looks like text"},
		{"cut.parquet", strings.Repeat("\u00e9", 600), "no Parquet file; it looks like text"},
		{"arrow.parquet", "ARROW1" + table, "no Parquet file; it is an Arrow file; give it a name that ends in .arrow"},
		{"parquet.arrow", table, "nor an Arrow stream; it is a Parquet file; give it a name that ends in .parquet"},
		{"bytes.parquet", "\x80\x81\x82\x83\x84", "no Parquet file; the file is damaged, or was not written or copied whole: make it anew"},
		{"zeros.parquet", strings.Repeat("\x00", 64), "no Parquet file; "},
		{"empty.parquet", "", "too short for Parquet; the file is damaged"},
		{"half.parquet", table, "its end is missing; the file is damaged"},
		{"length.parquet", table + "\xff\xff\xff\x7fPAR1", "; the file is damaged"},
		{"secret.parquet", "PARE" + table + "PARE", "it is encrypted, which is not read: write it without encryption"},
		{"empty.arrow", "", "too short for Arrow; the file is damaged"},
		{"half.arrow", "ARROW1\x00\x00", "; the file is damaged"},
		{"half.arrows", "\xff\xff\xff\xff\x10\x00\x00\x00\x01", "; the file is damaged"},
	} {
		_, err := Open(t.Context(), clitest.WriteFile(t, c.name, []byte(c.content)), Selection{Key: "k"}, Watch{})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestBlanksAroundText: they are kept, and told of.
func TestBlanksAroundText(t *testing.T) {
	src := opened(t, clitest.WriteFile(t, "in.csv", []byte("shop,g,x\ne, a, 1\n f,a, 2\nf,b,3 \n")), Selection{KeyColumn: "shop"})
	want := `column "shop" has keys with blanks around them, which are kept (as " f"): "f" without them is another key; if they mean nothing, take them out of the file
column "g" has text with blanks around it, which are kept (as line 2 has it: " a"): "a" without them is another level; if they mean nothing, take them out of the file`
	if got := strings.Join(src.Notes(), "\n"); got != want {
		t.Errorf("notes:\n%s\nwant:\n%s", got, want)
	}
	if got := readAll(t, src); fmt.Sprint(got) != `[e " a" 1  f "a" 2 f "b" 3]` {
		t.Errorf("rows %q", fmt.Sprint(got))
	}
}

// TestInfiniteNumbersAreTold reads numbers that no consumer takes.
func TestInfiniteNumbersAreTold(t *testing.T) {
	for name, content := range map[string]string{
		"in.csv":   "x,y\n1,2\n-inf,3\n",
		"in.jsonl": "{\"x\":1,\"y\":2}\n\n{\"x\":-1e999,\"y\":3}\n",
	} {
		src := opened(t, clitest.WriteFile(t, name, []byte(content)), Selection{Key: "k"})
		if notes := strings.Join(src.Notes(), "\n"); !strings.HasPrefix(notes, `column "x" has infinite numbers (as line 3 has it: "-`) || strings.Contains(notes, "\n") {
			t.Errorf("%s: notes %q", name, notes)
		}
		_ = src.Close()
	}
}

// TestWhatMakesItMissing: the note says what to type, and not a text that was cut.
func TestWhatMakesItMissing(t *testing.T) {
	for field, want := range map[string]string{"-inf": `: --null "-inf" makes it missing`, strings.Repeat("9", 400): `: --null with it as the file writes it makes it missing`} {
		src := opened(t, clitest.WriteFile(t, "in.csv", []byte("x,y\n1.5,2\n"+field+",3\n")), Selection{Key: "k"})
		if notes := strings.Join(src.Notes(), "\n"); !strings.HasSuffix(notes, want) {
			t.Errorf("notes %q", notes)
		}
		_ = src.Close()
	}
}

// TestWideIntegersAreTold tells of integers that a float64 need not hold: below 2^63 they
// are exact as labels alone.
func TestWideIntegersAreTold(t *testing.T) {
	for name, want := range map[string]struct{ content, note string }{
		"a.csv":   {"x\n1\n9007199254740993\n", `column "x" has integers of more than 53 bits (as line 3 has it: "9007199254740993"): groups and levels of them are exact`},
		"b.csv":   {"x\n-18446744073709551616\n1\n", `(as line 2 has it: "-18446744073709551616"), sent as the nearest float64: --text x sends them as they are`},
		"c.jsonl": {"{\"x\":1.5}\n{\"x\":9007199254740993}\n", `(as line 2 has it: "9007199254740993"), sent as the nearest float64`},
		"d.jsonl": {"{\"x\":1}\n{\"x\":12345678901234567890}\n", `(as line 2 has it: "12345678901234567890"), sent as the nearest float64`},
		"e.csv":   {"x\n9007199254740991\n1e300\n12345678901234567890.5\n", ""},
		"f.csv":   {"x\n9007199254740993\ntext\n", ""},
	} {
		src := opened(t, clitest.WriteFile(t, name, []byte(want.content)), Selection{Key: "k"})
		if notes := strings.Join(src.Notes(), "\n"); !strings.Contains(notes, want.note) || strings.Contains(notes, "53 bits") != (want.note != "") {
			t.Errorf("%s: %q", name, notes)
		}
		_ = src.Close()
	}
}

// JSON has numbers and truths of its own, and a column of both is text.
func TestTruthsInSeveralWays(t *testing.T) {
	for content, want := range map[string]bool{
		`{"b":true}` + "\n" + `{"b":1}`: true, `{"b":0}` + "\n" + `{"b":"no"}`: true, `{"b":2}` + "\n" + `{"b":true}`: false, `{"b":1}` + "\n" + `{"b":0}`: false,
	} {
		src := opened(t, clitest.WriteFile(t, "in.jsonl", []byte(content)), Selection{Key: "k"})
		if notes := strings.Join(src.Notes(), "\n"); strings.Contains(notes, `column "b" is text: it says yes and no in several ways`) != want {
			t.Errorf("%s: %q", content, notes)
		}
		_ = src.Close()
	}
}

// TestDatesThatAreText tells why a column of dates is none.
func TestDatesThatAreText(t *testing.T) {
	for content, want := range map[string]string{
		"d\n2026-02-27\n2026-02-30\n2026-03-01\n": `column "d" is text, because "2026-02-30" in line 3 is no date, as 2 of 3 values are: if it means missing, --null "2026-02-30"; otherwise correct the file`,
		"d\n2026-02-27\n20260228\n2026-03-01\n":   `column "d" is text, because "20260228" in line 3 is no date, as 2 of 3 values are`,
		"d\n2026-02-27\n28.02.2026\n":             `column "d" is text: its dates are written in several ways`,
		"d\n2026-02-27\nnever\nsoon\n":            "",
		"d\n2026-02-27\n2026-02-28\n":             "",
		"d\n12\n13 pieces\n":                      "",
	} {
		src := opened(t, clitest.WriteFile(t, "in.csv", []byte(content)), Selection{Key: "k"})
		if notes := strings.Join(src.Notes(), "\n"); !strings.HasPrefix(notes, want) || want == "" && notes != "" {
			t.Errorf("%q: notes %q, want %q", content, notes, want)
		}
		_ = src.Close()
	}
}
