package try

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

const (
	// mostBytes bounds what is kept in the temporary folder: of standard input, and of
	// the shards of a file.
	mostBytes = 8 << 30
	// mostKeys bounds the models, whose states are in memory.
	mostKeys = 50_000
)

// formats are the values of --format.
var formats = []string{"csv", "json", "jsonl", "arrow", "parquet"}

// errTooMany reports more keys than a trial has models for.
var errTooMany = errors.New("too many keys")

func checkFormat(file, format string) error {
	switch {
	case format != "" && !slices.Contains(formats, format):
		return cli.Usagef("--format %s: %q is none of: %s", format, format, strings.Join(formats, ", "))
	case file != "" && file != "-" && format == "" && rows.FormatOf(file) == "":
		return cli.Usagef("%s: want a file that ends in %s, or its --format%s", file, strings.Join(rows.Extensions, ", "), rows.Renamed(file))
	}
	return nil
}

// keepUntil copies what has no name to go by into a file of the right name, base and an ending, and returns it
// and what removes it. It does not wait for input once ctx has ended.
func keepUntil(ctx context.Context, in io.Reader, base, format string, most int64) (name string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "credence-try-*")
	if err != nil {
		return "", nil, cli.Temporary(err)
	}
	remove = func() { _ = os.RemoveAll(dir) }
	type kept struct {
		name string
		err  error
	}
	done := make(chan kept, 1)
	go func() {
		name, err := keep(dir, in, base, format, most)
		done <- kept{name, err}
	}()
	select {
	case k := <-done:
		name, err = k.name, k.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return name, remove, nil
}

// keep makes the copy in a folder.
func keep(dir string, in io.Reader, base, format string, most int64) (name string, err error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	head, _ := buffered.Peek(1 << 12) // what there is
	ending, err := endingOf(head, format)
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, base+ending)
	return name, copyTo(name, buffered, most)
}

func copyTo(name string, in io.Reader, most int64) error {
	out, err := os.Create(name)
	if err != nil {
		return cli.Temporary(err)
	}
	n, err := io.Copy(out, io.LimitReader(in, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("the input has more than %s; a file whose name ends in its format is not copied", cli.Size(most))
	}
	return cli.Temporary(errors.Join(err, out.Close()))
}

// called is an error about a copy that names the input as its user does.
type called struct {
	error
	copied, name string
	as           string // the --format that it was read as, "" where its first bytes told it
}

func (c *called) Error() string {
	text := strings.ReplaceAll(c.error.Error(), c.copied, c.name)
	if c.as != "" && errors.Is(c.error, rows.ErrInput) {
		text += " (--format " + c.as + ")"
	}
	return text
}

func (c *called) Unwrap() error { return c.error }

// endingOf tells the ending of a file from its first bytes, or takes the one of a
// format.
func endingOf(head []byte, format string) (string, error) {
	packed := ""
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		packed = ".gz"
		inner := make([]byte, 1<<10)
		if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
			n, _ := io.ReadFull(z, inner)
			head = inner[:n]
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n")
	switch {
	case format != "":
	case bytes.HasPrefix(head, []byte("PAR1")):
		format = "parquet"
	case bytes.HasPrefix(head, []byte("ARROW1")), bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")):
		format = "arrow"
	case len(text) == 0:
		return "", errors.New("standard input is empty")
	case text[0] == '{':
		format = "jsonl"
	case text[0] == '[':
		format = "json"
	default:
		format = "csv"
	}
	if packed != "" && (format == "arrow" || format == "parquet") {
		return "", fmt.Errorf("a packed %s file is not read; unpack it: gzip -d", format)
	}
	return "." + format + packed, nil
}

// census is how many rows each key has.
type census struct {
	keys map[string]int64
	rows int64
}

// met counts a row of a key.
func (t *trial) met(key string) error {
	c := t.census
	c.rows++
	if n, known := c.keys[key]; known {
		c.keys[key] = n + 1
		return nil
	}
	if len(c.keys) == t.mostKeys {
		return t.tooMany(c.rows)
	}
	c.keys[strings.Clone(key)] = 1
	return nil
}

// tooMany says that a column is no key.
func (t *trial) tooMany(row int64) error {
	return fmt.Errorf("%w: column %q has more than %s different values in %s rows, and each would be a model of its own; "+
		"name another column with --key, or leave it out for one model", errTooMany, t.key(), cli.Count(t.mostKeys), cli.Count(row))
}

// shard is the usual number of rows of a shard: a key has about twenty, and few enough
// rows to see it learn, and enough for a shard to say something.
func (c *census) shard() int {
	return int(min(max(c.rows/int64(max(len(c.keys), 1))/20, 5), 500))
}

// known lets through the rows of the keys that a trial has models for, and ends with an
// error at the first of another.
type known struct {
	rows.Source
	*trial
	keys map[string]int64
	row  int64
}

func (k *known) Next() (string, []replay.Value, error) {
	key, row, err := k.Source.Next()
	if err != nil {
		return key, row, err
	}
	k.row++
	if _, there := k.keys[key]; !there {
		if len(k.keys) == k.mostKeys {
			return "", nil, k.tooMany(k.row)
		}
		k.keys[strings.Clone(key)] = 0
	}
	return key, row, nil
}
