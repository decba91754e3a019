package rows

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// regular returns ErrInput for what is no plain file: a folder, or what can be read once
// only. It does not open it, for a pipe without a writer would keep who opens it.
func regular(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s: %w: a folder; name one file in it", name, ErrInput)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w: not a plain file, and such a file is read twice; write what it gives to a file first", name, ErrInput)
	}
	return nil
}

// beginnings are how files begin that are no text, and what to do with them.
var beginnings = []struct{ mark, what string }{
	{"\x28\xb5\x2f\xfd", "it is packed by zstd, which is not read; zstd -d unpacks it"},
	{"BZh91AY&SY", "it is packed by bzip2, which is not read; bzip2 -d unpacks it"},
	{"\xfd7zXZ\x00", "it is packed by xz, which is not read; xz -d unpacks it"},
	{gzipMark, "it is packed by gzip twice; gzip -d unpacks it"},
	{"PK\x03\x04", "it is a zip archive, as .xlsx and .ods are; unzip it, or save a sheet as CSV"},
	{"\xd0\xcf\x11\xe0", "it is a file of a spreadsheet (.xls); save a sheet as CSV"},
	{"PAR1", "it is a Parquet file; give it a name that ends in .parquet"},
	{"ARROW1", "it is an Arrow file; give it a name that ends in .arrow"},
	{"\xff\xff\xff\xff", "it is an Arrow stream; give it a name that ends in .arrows"},
	{"SQLite format 3\x00", "it is a database of SQLite; export a table as CSV"},
	{"\xff\xfe\x00\x00", "its text is UTF-32; iconv -f UTF-32 -t UTF-8 converts the file"},
	{"\x00\x00\xfe\xff", "its text is UTF-32; iconv -f UTF-32 -t UTF-8 converts the file"},
	{"\xff\xfe", "its text is UTF-16; iconv -f UTF-16 -t UTF-8 converts the file"},
	{"\xfe\xff", "its text is UTF-16; iconv -f UTF-16 -t UTF-8 converts the file"},
}

// otherwise says what to do with a file that its name calls Arrow or Parquet, and that is not.
func otherwise(f *os.File) string {
	head := make([]byte, 1<<10)
	n, _ := f.ReadAt(head, 0) // what there is
	if what := foreign(head[:n]); what != "" {
		return what
	}
	text := head[:n]
	for cut := 1; cut < utf8.UTFMax && !utf8.Valid(text); cut++ { // the last letter may be cut
		text = head[:max(n-cut, 0)]
	}
	if utf8.Valid(text) && !bytes.Contains(text, []byte{0}) {
		return "it looks like text: give it a name that ends in .csv or .jsonl"
	}
	return anew
}

// gzipMark is how files of gzip begin.
const gzipMark = "\x1f\x8b"

// foreign says what a file is whose first bytes are no text in UTF-8 that may hold rows: ""
// where they may. Read as text, some would be rows of one column, and others would be
// refused for what is not the matter with them.
func foreign(head []byte) string {
	for _, b := range beginnings {
		if bytes.HasPrefix(head, []byte(b.mark)) {
			return b.what
		}
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	start := strings.ToLower(string(bytes.TrimLeft(head[:min(len(head), 256)], " \t\r\n")))
	switch zeros := bytes.Count(first, []byte{0}); {
	case strings.HasPrefix(start, "<!doctype"), strings.HasPrefix(start, "<html"), strings.HasPrefix(start, "<?xml"):
		return "it is a page or XML; look whether it is what you meant to download"
	case zeros == 0:
		return ""
	case 3*zeros < len(first):
		return "its first line has bytes of 0: it is no text"
	case first[0] == 0:
		return "its text is UTF-16, without a mark; iconv -f UTF-16BE -t UTF-8 converts the file"
	default:
		return "its text is UTF-16, without a mark; iconv -f UTF-16LE -t UTF-8 converts the file"
	}
}
