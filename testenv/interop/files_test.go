//go:build unix

package interop

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

// TestFilesReadAsPandasReadsThem compares every cell of files as people make them. Ours is
// told nothing; what pandas is told is in files.py.
func TestFilesReadAsPandasReadsThem(t *testing.T) {
	const folder = "testdata/files"
	var pandas map[string]map[string][]any
	if err := json.Unmarshal([]byte(run(t, nil, python(t), "testdata/files.py", folder)), &pandas); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != len(pandas) {
		t.Fatalf("%d files, pandas has %d (%v)", len(files), len(pandas), err)
	}
	for name := range pandas {
		ours := cellsOf(t, filepath.Join(folder, name))
		if len(ours) != len(pandas[name]) {
			t.Errorf("%s: %d columns, pandas has %d", name, len(ours), len(pandas[name]))
		}
		for column, cells := range ours {
			theirs := pandas[name][column]
			if len(theirs) != len(cells) || len(cells) == 0 {
				t.Errorf("%s: column %q has %d cells, pandas %d", name, column, len(cells), len(theirs))
				continue
			}
			for row, cell := range cells {
				if !reflect.DeepEqual(cell, theirs[row]) {
					t.Errorf("%s: column %q, row %d: %#v, pandas %#v", name, column, row+1, cell, theirs[row])
				}
			}
		}
	}
}

// cellsOf reads a file: nil for a null, and what encoding/json makes of others.
func cellsOf(t *testing.T, name string) map[string][]any {
	t.Helper()
	src, err := rows.Open(t.Context(), name, rows.Selection{Key: "k"}, rows.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	cells := map[string][]any{}
	for {
		_, row, err := src.Next()
		if errors.Is(err, io.EOF) {
			return cells
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range src.Fields() {
			var cell any
			switch v := &row[i]; {
			case v.Null || f.Type == cdf.Float && math.IsNaN(v.Number):
			case f.Type == cdf.Text:
				cell = string([]byte(v.Text)) // a view
			case f.Type == cdf.Integer:
				cell = float64(v.Int)
			case f.Type == cdf.Bool:
				cell = v.Number != 0
			default:
				cell = v.Number
			}
			cells[f.Name] = append(cells[f.Name], cell)
		}
	}
}
