package json

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/credence-stream/credence/pipeline"
)

// damaged returns pipeline.ErrDecode at the value that was read last.
func (d *Decoder) damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", pipeline.ErrDecode, d.path(d.text.StackPointer()), fmt.Sprintf(format, args...))
}

// unexpected reports a value of the wrong kind, which is to be read next.
func (d *Decoder) unexpected(kind jsontext.Kind, where string) error {
	raw, err := d.text.ReadToken()
	if err != nil {
		return err
	}
	what, ok := map[jsontext.Kind]string{'n': "null", 't': "true", 'f': "false", '"': "text", '0': "a number", '[': "an array", '{': "an object"}[kind]
	if !ok {
		what = raw.Kind().String()
	}
	return d.damaged("%s %s", what, where)
}

// explain makes an error of the tokenizer one of the record.
func (d *Decoder) explain(value []byte, err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntax):
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: $: it ends too early, at byte %d", pipeline.ErrDecode, len(value))
	default:
		return err
	}
	if bytes.HasPrefix(value, []byte("\xff\xff\xff\xff")) {
		return fmt.Errorf("%w: $: this is an Arrow stream, and input.format is json", pipeline.ErrDecode)
	}
	what := strings.ToValidUTF8(syntax.Err.Error(), "\uFFFD")
	switch {
	case errors.Is(syntax.Err, io.ErrUnexpectedEOF):
		what = "it ends too early"
	case errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		what = "is there twice"
	}
	at := syntax.ByteOffset
	if bytes.HasPrefix(value, mark) {
		at += int64(len(mark))
	}
	return fmt.Errorf("%w: %s: %.200s, at byte %d", pipeline.ErrDecode, d.path(syntax.JSONPointer), what, at)
}

// path writes a pointer as messages have it: $.rows[3].customer.age.
func (d *Decoder) path(p jsontext.Pointer) string {
	var b strings.Builder
	b.WriteByte('$')
	level := 0
	for token := range p.Tokens() {
		level++
		if b.Len() > 300 {
			b.WriteString("...")
			break
		}
		if level <= d.text.StackDepth() {
			if kind, _ := d.text.StackIndex(level); kind == '[' {
				b.WriteString("[" + token + "]")
				continue
			}
		}
		fmt.Fprintf(&b, ".%.100s", strings.ToValidUTF8(token, "\uFFFD"))
	}
	return b.String()
}
