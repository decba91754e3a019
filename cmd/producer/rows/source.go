// Package rows reads the rows of files: CSV, JSON Lines, Arrow and Parquet. It
// finds out what type each column has and cuts the rows into shards.
package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
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
	// Notes are things that the user should know about the file. Those of Arrow
	// and Parquet files are complete when Next has returned io.EOF.
	Notes() []string
	// Chosen are the columns that were read because others were left out by
	// Selection.Lenient, nil where none was.
	Chosen() []string
	// Next returns the next row and its key, valid until the call after, or
	// io.EOF. Other errors name the file and the line or row.
	Next() (key string, row []replay.Value, err error)
	// Again opens the file once more, at its first row, also after Close. What the
	// first pass found out is kept, so this costs no pass.
	Again() (Source, error)
	Close() error
}

// Watch is told of the rows that are read before the first can be returned.
type Watch struct {
	// Rows is told how many more were read, now and then.
	Rows func(n int64)
	// Key is told of the whole key of each row, valid during the call, in the order of the
	// file; its error ends Open. With it a file is always read through, and the number of
	// its rows is known.
	Key func(key string) error
}

// about is what a source says of itself.
type about struct {
	fields   []replay.Field
	readings []reading // of columns of text
	rows     int64
	notes    []string
	unnoted  int // beyond mostNotes
	keyless  int64
	blank    string // the first key with blanks around it
	floating string // the first key that is a number with a fraction of 0
	other    bool   // some key is not
	chosen   []string
}

// mostNotes bounds what is said of a file of many columns.
const mostNotes = 30

func (a *about) Fields() []replay.Field { return a.fields }
func (a *about) Rows() int64            { return a.rows }
func (a *about) Chosen() []string       { return a.chosen }

func (a *about) Notes() []string {
	notes := a.notes
	if a.unnoted > 0 {
		notes = append(slices.Clip(notes), fmt.Sprintf("and %d more", a.unnoted))
	}
	return notes
}

func (a *about) note(format string, args ...any) {
	if len(a.notes) == mostNotes {
		a.unnoted++
		return
	}
	a.notes = append(a.notes, fmt.Sprintf(format, args...))
}

// watchEvery is how many rows a Watch is told of at a time.
const watchEvery = 1024

// count counts a row of a key that the first pass has read.
func (a *about) count(ctx context.Context, w *Watch, key string) error {
	a.rows++
	if w.Key != nil {
		if err := w.Key(key); err != nil {
			return err
		}
	}
	if a.rows%watchEvery != 0 {
		return nil
	}
	if w.Rows != nil {
		w.Rows(watchEvery)
	}
	return ctx.Err()
}

// end is io.EOF where a file has given the rows that its first pass counted, or more, which others
// have written meanwhile. Fewer are no whole file.
func (a *about) end(name string, given int64) error {
	if given < a.rows {
		return fmt.Errorf("%s: %w: it ends after %d rows and had %d when it was first read: it was changed meanwhile; read it again once nothing writes to it", name, ErrInput, given, a.rows)
	}
	return io.EOF
}

// Extensions of the files that can be read; the first that fits names the
// format.
var Extensions = []string{
	".csv", ".csv.gz", ".tsv", ".tsv.gz", ".json", ".json.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".arrow", ".arrows", ".parquet",
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

// Unopened is the error of a file whose name tells no format.
func Unopened(file string) error {
	if file == "-" || file == "/dev/stdin" {
		return fmt.Errorf("%s: a file is read twice, so that standard input is not read: write it to a file first", file)
	}
	return fmt.Errorf("%s: want a file that ends in %s%s", file, strings.Join(Extensions, ", "), Renamed(file))
}

// Renamed says what to do with a file whose name is not that of a format, "" where that is not known.
func Renamed(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".xlsx", ".xls", ".ods":
		return "; save a sheet as CSV"
	case ".txt", ".dat", ".tab":
		return "; a table with commas, semicolons, tabs or vertical bars between its columns takes a name that ends in .csv"
	case ".feather", ".ipc":
		return "; Feather of version 2 is Arrow: give it a name that ends in .arrow"
	}
	return ""
}

// Open opens a file by its extension.
func Open(ctx context.Context, file string, sel Selection, w Watch) (Source, error) {
	if err := regular(file); err != nil {
		return nil, err
	}
	switch strings.ToLower(FormatOf(file)) {
	case ".csv", ".csv.gz", ".tsv", ".tsv.gz":
		return openCSV(ctx, file, sel, w)
	case ".json", ".json.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz":
		return openJSON(ctx, file, sel, w)
	case ".arrow", ".arrows":
		return interpreted(ctx, w, sel, func(sel Selection) (*recordSource, error) { return openArrow(file, sel) })
	default:
		return interpreted(ctx, w, sel, func(sel Selection) (*recordSource, error) { return openParquet(file, sel) })
	}
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
