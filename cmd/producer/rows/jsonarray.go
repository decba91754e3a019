package rows

import (
	"bytes"
	"errors"
	"io"
)

// begins reports whether the file has an array next, and enters it: pandas and
// most interfaces write one of all objects.
func (f *jsonFile) begins(open byte) bool {
	f.ends = f.line + 1
	for {
		start, err := f.in.Peek(1)
		switch {
		case err != nil:
			return false
		case start[0] == open:
			_, _ = f.in.Discard(1)
			f.array = true
			return true
		case start[0] == '\n':
			f.line++
			f.ends++
		case start[0] != ' ' && start[0] != '\t' && start[0] != '\r':
			return false
		}
		_, _ = f.in.Discard(1)
	}
}

// element reads the next value of the array into the buffer: io.EOF after the
// last, once nothing follows the array.
func (f *jsonFile) element() error {
	f.buffer = f.buffer[:0]
	c, err := f.sign()
	if err != nil {
		return err
	}
	f.line = f.ends
	switch {
	case c == ']' && f.objects == 0:
		return f.closed()
	case f.objects > 0 && c == ']':
		return f.closed()
	case f.objects > 0 && c != ',':
		return f.errorf("%q follows object %d of the array, where a comma or ] should be", c, f.objects)
	case f.objects > 0:
		if c, err = f.sign(); err != nil {
			return err
		}
		f.line = f.ends
	}
	if f.buffer = append(f.buffer, c); c != '{' {
		return nil // for parse to refuse
	}
	quoted, escaped := false, false
	for depth := 1; depth > 0; {
		c, err := f.byte()
		if err != nil {
			return err
		}
		if f.buffer = append(f.buffer, c); len(f.buffer) > maxLine {
			return f.errorf("an object of more than %d bytes", maxLine)
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// closed reads what follows the array.
func (f *jsonFile) closed() error {
	rest := make([]byte, 1)
	for {
		_, err := io.ReadFull(f.in, rest)
		switch {
		case errors.Is(err, io.EOF):
			return io.EOF
		case err != nil:
			return f.errorf("%w", err)
		case len(bytes.TrimSpace(rest)) > 0:
			return f.errorf("%q follows the array, and a file holds one", rest)
		}
	}
}

// sign returns the next byte that is no blank.
func (f *jsonFile) sign() (byte, error) {
	for {
		c, err := f.byte()
		if err != nil || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
	}
}

// byte returns the next byte of the array, which has not ended.
func (f *jsonFile) byte() (byte, error) {
	c, err := f.in.ReadByte()
	if errors.Is(err, io.EOF) {
		return 0, f.errorf("the file ends inside its array, after object %d", f.objects)
	}
	if err != nil {
		return 0, f.errorf("%w", err)
	}
	if c == '\n' {
		f.ends++
	}
	return c, nil
}
