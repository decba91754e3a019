package rows

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/internal/jsontext"
)

// separators are those that are worth a word.
var separators = map[rune]string{';': "semicolons", '\t': "tabs", '|': "vertical bars"}

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
			quoted = !quoted && strings.ContainsRune(",;\t|\"", before)
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
	for _, c := range [...]rune{';', '\t', '|'} {
		if met[c] > met[best] {
			best = c
		}
	}
	return best
}

// textOf returns the text of a file: unpacked where it is packed by gzip, whatever its name
// says, since what downloads files unpacks some and keeps the name; and without the mark
// that some programs begin it with. A file that is no text is refused.
func textOf(file *os.File) (*bufio.Reader, error) {
	buffered := bufio.NewReaderSize(file, 1<<16)
	if mark, _ := buffered.Peek(len(gzipMark)); string(mark) == gzipMark {
		in, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", file.Name(), ErrInput, err)
		}
		buffered = bufio.NewReaderSize(unpacked{in}, 1<<16)
	}
	jsontext.PassMark(buffered)
	head, _ := buffered.Peek(buffered.Size()) // what there is
	if why := foreign(head); why != "" {
		return nil, fmt.Errorf("%s: %w: %s", file.Name(), ErrInput, why)
	}
	return buffered, nil
}

// unpacked is the text of a packed file. That the file is damaged it says in words, for to
// who reads text its errors are those of the text.
type unpacked struct{ *gzip.Reader }

var errCut = errors.New("the packed file ends in the middle of its data: it was not copied whole; gzip -t tests a copy")

func (u unpacked) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errCut
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("the packed file is damaged: %w; gzip -t tests a copy", err)
	}
	return n, err
}

// strange tells of a CSV file whose first line is none of names, in a way that a message
// about names would hide: "" for others.
func strange(text *bufio.Reader) string {
	head, _ := text.Peek(text.Size()) // what there is
	switch first, _, more := bytes.Cut(head, []byte("\n")); {
	case bytes.HasPrefix(bytes.ToLower(first), []byte("sep=")) && len(bytes.TrimSpace(first)) == len("sep=;"):
		return fmt.Sprintf("its first line, %s, is for a spreadsheet and has no names; tail -n +2 leaves it out", bytes.TrimSpace(first))
	case bytes.HasPrefix(first, []byte("[{")), bytes.HasPrefix(first, []byte("{\"")):
		return "its text is JSON; give it a name that ends in .json"
	case !more && bytes.Contains(bytes.TrimRight(first, "\r"), []byte("\r")):
		return "its lines end in carriage returns alone; tr '\\r' '\\n' converts the file"
	}
	return ""
}

// clipped is the beginning of a text that a message shows, which may be megabytes long.
func clipped(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
