package rows

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
)

// separators are those that are worth a word.
var separators = map[rune]string{';': "semicolons", '\t': "tabs"}

// separator is what stands between the names of a CSV file's first line: a
// comma, a semicolon or a tab, whichever the line has most often outside quotes,
// the comma before the others. A file that says so in its name has tabs.
func separator(text *bufio.Reader, name string) rune {
	if strings.HasPrefix(strings.ToLower(FormatOf(name)), ".tsv") {
		return '\t'
	}
	line, _ := text.Peek(text.Size()) // what there is
	met, quoted, before := map[rune]int{}, false, ','
	for _, c := range string(line) {
		if c == '"' { // within other text it is text
			quoted = !quoted && strings.ContainsRune(",;\t\"", before)
		}
		before = c
		if c == '\n' && !quoted {
			break
		}
		if !quoted {
			met[c]++
		}
	}
	best := ','
	for _, c := range [...]rune{';', '\t'} {
		if met[c] > met[best] {
			best = c
		}
	}
	return best
}

// textOf returns the text of a plain file that is read twice: unpacked when
// its name ends in .gz, and without the mark that some programs begin it with.
func textOf(file *os.File) (*bufio.Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: not a plain file, and such a file is read twice", file.Name(), ErrInput)
	}
	var in io.Reader = file
	if strings.HasSuffix(strings.ToLower(file.Name()), ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", file.Name(), ErrInput, err)
		}
	}
	buffered := bufio.NewReaderSize(in, 1<<16)
	switch mark, _ := buffered.Peek(3); {
	case string(mark) == "\uFEFF":
		_, _ = buffered.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%s: %w: its text is UTF-16; iconv -f UTF-16 -t UTF-8 converts the file", file.Name(), ErrInput)
	}
	return buffered, nil
}

// strange tells of a CSV file whose first line is none of names, in a way that a message
// about names would hide: "" for others.
func strange(text *bufio.Reader) string {
	head, _ := text.Peek(text.Size()) // what there is
	switch first, _, more := bytes.Cut(head, []byte("\n")); {
	case bytes.HasPrefix(bytes.ToLower(first), []byte("sep=")) && len(bytes.TrimSpace(first)) == len("sep=;"):
		return fmt.Sprintf("its first line, %s, is for a spreadsheet and has no names; tail -n +2 leaves it out", bytes.TrimSpace(first))
	case !more && bytes.Count(first, []byte("\r")) > 1:
		return "its lines end in carriage returns alone; tr '\\r' '\\n' converts the file"
	}
	return ""
}
