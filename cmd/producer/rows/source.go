// Package rows reads the rows of files: CSV, JSON Lines, Arrow and Parquet. It
// finds out what type each column has and cuts the rows into shards.
package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cmd/internal/replay"
)

// ErrInput reports a file that can't be used as asked. It is wrapped with the
// file, the line or row, and what is wrong there.
var ErrInput = errors.New("unusable input")

// Source reads the rows of a file once, in order. It is for one goroutine.
type Source interface {
	// Fields are the columns that were selected.
	Fields() []replay.Field
	// Rows is the number of rows, -1 when only reading them tells.
	Rows() int64
	// Notes are things that the user should know about the columns.
	Notes() []string
	// Next returns the next row and its key, valid until the call after, or
	// io.EOF. Other errors name the file and the line or row.
	Next() (key string, row []replay.Value, err error)
	Close() error
}

// about is what a source says of itself.
type about struct {
	fields []replay.Field
	rows   int64
	notes  []string
}

func (a *about) Fields() []replay.Field { return a.fields }
func (a *about) Rows() int64            { return a.rows }
func (a *about) Notes() []string        { return a.notes }

// add adds a column of text.
func (a *about) add(name string, g *guess) {
	a.fields = append(a.fields, replay.Field{Name: name, Type: g.result()})
	if !g.seen {
		a.notes = append(a.notes,
			fmt.Sprintf("column %q has no value in any row; it is sent as numbers, all null", name))
	}
}

// count counts a row that the first pass has read.
func (a *about) count(ctx context.Context, tick func(int64)) error {
	if a.rows++; a.rows%1024 != 0 {
		return nil
	}
	tick(1024)
	return ctx.Err()
}

// Extensions of the files that can be read; the first that fits names the
// format.
var Extensions = []string{
	".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".arrow", ".arrows", ".parquet",
}

// Endings are the Extensions as shells want them.
func Endings() []string {
	var all []string
	for _, ext := range Extensions {
		all = append(all, strings.TrimPrefix(ext, "."))
	}
	return all
}

// FormatOf returns the extension that names the format of a file, "" when
// there is none.
func FormatOf(file string) string {
	lower := strings.ToLower(file)
	for _, ext := range Extensions {
		if strings.HasSuffix(lower, ext) {
			return file[len(file)-len(ext):]
		}
	}
	return ""
}

// Open opens a file by its extension. tick is told of rows that are read
// before the first can be returned.
func Open(ctx context.Context, file string, sel Selection, tick func(int64)) (Source, error) {
	switch strings.ToLower(FormatOf(file)) {
	case ".csv", ".csv.gz":
		return openCSV(ctx, file, sel, tick)
	case ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz":
		return openJSON(ctx, file, sel, tick)
	case ".arrow", ".arrows":
		return openArrow(file, sel)
	default:
		return openParquet(ctx, file, sel)
	}
}

// Selection says which columns of a file to send and what the key is.
type Selection struct {
	KeyColumn string   // "": all rows have Key
	Key       string   // of all rows
	Prefix    string   // before each key
	Columns   []string // nil: all but the key column
	Null      []string // texts that are null, as an empty CSV field is
}

// resolve finds the columns among the names of a file: the index of the key
// column, -1 for none, and those of the columns to send, in the order of the
// Selection. It returns ErrInput for missing, doubled and nameless columns.
func (s *Selection) resolve(names []string) (key int, columns []int, err error) {
	key = -1
	find := func(name string) (int, error) {
		i := slices.Index(names, name)
		switch {
		case i < 0:
			return 0, fmt.Errorf("%w: no column %q; the columns are %s", ErrInput, name, listed(names))
		case slices.Contains(names[i+1:], name):
			return 0, fmt.Errorf("%w: two columns are called %q", ErrInput, name)
		}
		return i, nil
	}
	if s.KeyColumn != "" {
		if key, err = find(s.KeyColumn); err != nil {
			return 0, nil, err
		}
	}
	wanted := s.Columns
	if wanted == nil {
		for i, name := range names {
			if name == "" {
				return 0, nil, fmt.Errorf("%w: column %d has no name; choose columns with --columns %s", ErrInput, i+1, named(names, key))
			}
			if i != key {
				wanted = append(wanted, name)
			}
		}
	}
	for _, name := range wanted {
		i, err := find(name)
		if err != nil {
			return 0, nil, err
		}
		columns = append(columns, i)
	}
	if len(columns) == 0 {
		return 0, nil, fmt.Errorf("%w: no column is left to send besides the key", ErrInput)
	}
	return key, columns, nil
}

// listed joins column names for a message, the first few of many.
func listed(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Shards cuts the rows of a source, n to a shard, in the order in which shards
// fill, the short ones last. A shard is valid until the next one is asked for.
func Shards(src Source, n int) iter.Seq2[replay.Shard, error] {
	return func(yield func(replay.Shard, error) bool) {
		cut := replay.NewCutter(src.Fields(), n)
		for {
			key, row, err := src.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				yield(replay.Shard{}, err)
				return
			}
			if sh, full := cut.Add(key, row); full && !yield(sh, nil) {
				return
			}
		}
		for sh := range cut.Rest() {
			if !yield(sh, nil) {
				return
			}
		}
	}
}

// named lists the columns but the key that have names, for --columns.
func named(names []string, key int) string {
	var list []string
	for i, name := range names {
		if name != "" && i != key {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}
