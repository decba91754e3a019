package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// maxLine bounds what one row of a file of text may ask for: a line of JSON, an object, or
// a record of CSV.
const maxLine = 64 << 20

// jsonKind is the kind of a JSON value.
type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonNumber
	jsonString
	jsonBool
	jsonNested
)

// member is one key of an object with its value: what is between the quotes
// of a string, and otherwise what stands in the file.
type member struct {
	name, text string
	kind       jsonKind
}

// jsonFile is one pass over a file of JSON: an object on each line, or an array
// of objects.
type jsonFile struct {
	name    string
	file    *os.File
	in      *bufio.Reader
	line    int  // where the object begins
	ends    int  // of an array: the line that was read to
	array   bool // the file is one
	objects int
	buffer  []byte
	object  []member
	met     map[string]int // the last object that had a key
}

func openJSONFile(name string) (*jsonFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	in, err := textOf(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &jsonFile{name: name, file: file, in: in, met: map[string]int{}}, nil
}

func (f *jsonFile) close() error { return f.file.Close() }

// errorf returns an ErrInput at the current line.
func (f *jsonFile) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %w", f.name, f.line, ErrInput, fmt.Errorf(format, args...))
}

// read returns the members of the next object, valid until the next call, or
// io.EOF. Empty lines are passed over.
func (f *jsonFile) read() ([]member, error) {
	for {
		next := f.next
		if f.array || f.objects == 0 && f.begins('[') {
			next = f.element
		}
		if err := next(); err != nil {
			return nil, err
		}
		if len(f.buffer) == 0 {
			continue
		}
		if !utf8.Valid(f.buffer) {
			return nil, f.errorf(otherEncoding)
		}
		f.objects++
		if err := f.parse(); err != nil {
			return nil, err
		}
		return f.object, nil
	}
}

// next reads the next line into the buffer, without what surrounds it.
func (f *jsonFile) next() error {
	f.buffer = f.buffer[:0]
	f.line++
	for {
		piece, err := f.in.ReadSlice('\n')
		if f.buffer = append(f.buffer, piece...); len(f.buffer) > maxLine {
			return f.errorf("a line of more than %d bytes", maxLine)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(f.buffer) == 0:
			return io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return f.errorf("%w", err)
		}
		f.buffer = bytes.TrimSpace(f.buffer)
		return nil
	}
}

// parse splits the line into the members of its object.
func (f *jsonFile) parse() error {
	f.object = f.object[:0]
	switch first := f.buffer[0]; {
	case first == ']' && f.array:
		return f.errorf("a comma stands behind object %d, the last of the array: take it off", f.objects-1)
	case first != '{' && f.array:
		return f.errorf("value %d of the array is not an object, as in [{\"x\":1.5,\"y\":2}]", f.objects)
	case first != '{':
		return f.errorf("not an object; each line is one, as in {\"x\":1.5,\"y\":2}")
	}
	d := json.NewDecoder(bytes.NewReader(f.buffer))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return f.broken(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return f.broken(err)
		}
		m := member{name: name.(string)}
		if f.met[m.name] == f.objects {
			return f.errorf("%q is there twice", m.name)
		}
		f.met[m.name] = f.objects
		value, err := d.Token()
		if err != nil {
			return f.broken(err)
		}
		switch v := value.(type) {
		case json.Number:
			m.text, m.kind = v.String(), jsonNumber
		case string:
			m.text, m.kind = v, jsonString
		case bool:
			m.text, m.kind = fmt.Sprint(v), jsonBool
		case json.Delim:
			m.text, m.kind = v.String(), jsonNested
			if err := skip(d); err != nil {
				return f.broken(err)
			}
		}
		if f.halved(m.name) || f.halved(m.text) {
			return f.errorf("%q has half of a surrogate pair, which is no character", m.name)
		}
		f.object = append(f.object, m)
	}
	if _, err := d.Token(); err != nil {
		return f.broken(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return f.errorf("something follows the object; each line is one object and nothing else")
	}
	return nil
}

// halved reports text in which the decoder put a mark where the file has an
// escape that stands for no character.
func (f *jsonFile) halved(text string) bool {
	return strings.ContainsRune(text, utf8.RuneError) &&
		(bytes.Contains(f.buffer, []byte(`\ud`)) || bytes.Contains(f.buffer, []byte(`\uD`)))
}

func (f *jsonFile) broken(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) { // a decoder counts its bytes by tokens
		var whole any
		if exact := json.Unmarshal(f.buffer, &whole); errors.As(exact, &syntax) {
			err = exact
		}
	}
	switch {
	case f.array && errors.As(err, &syntax):
		return f.errorf("%w at byte %d of object %d%s", err, syntax.Offset, f.objects, f.remedy(syntax.Offset))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return f.errorf("the object does not end on its line; each line is one whole object: jq -c . writes them so")
	case errors.As(err, &syntax):
		return f.errorf("%w at byte %d of the line%s", err, syntax.Offset, f.remedy(syntax.Offset))
	}
	return f.errorf("%w", err)
}

// remedy says what to do about a byte, counted from 1, that is no JSON.
func (f *jsonFile) remedy(at int64) string {
	i := int(min(max(at, 1), int64(len(f.buffer)))) - 1
	switch before := bytes.TrimSpace(f.buffer[:i]); f.buffer[i] {
	case '\'':
		return " (JSON has names and texts in double quotes)"
	case 'T', 'F':
		return " (JSON has true and false in small letters)"
	case '}', ']':
		if bytes.HasSuffix(before, []byte(",")) {
			return " (a comma stands between two values, and not behind the last)"
		}
	case 'N', 'I':
		return " (JSON knows no NaN: a missing number is null)"
	}
	return ""
}

// skip passes over what is inside the object or array that was just opened.
func skip(d *json.Decoder) error {
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return err
		}
		if delim, ok := t.(json.Delim); ok {
			if delim == '{' || delim == '[' {
				depth++
			} else {
				depth--
			}
		}
	}
	return nil
}
