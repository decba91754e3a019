package rows

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
)

// separator is what stands between the names of a CSV file's first line: a
// comma, or a semicolon or tab where the line has no comma outside quotes.
func separator(text *bufio.Reader) rune {
	line, _ := text.Peek(text.Size()) // what there is
	found, quoted := ',', false
	for _, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			return ','
		case c == '\n':
			return found
		case c == ';' || c == '\t':
			found = rune(c)
		}
	}
	return found
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
	if mark, _ := buffered.Peek(3); string(mark) == "\uFEFF" {
		_, _ = buffered.Discard(3)
	}
	return buffered, nil
}
