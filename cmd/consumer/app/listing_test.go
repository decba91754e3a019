package app

import (
	"bytes"
	"strings"
	"testing"
)

// TestLongCells: a table stays one where a record has a key of megabytes, and CSV has it whole.
func TestLongCells(t *testing.T) {
	long := strings.Repeat("k\n", 1<<15)
	for format, wide := range map[string]bool{Table: false, CSV: true} {
		var out bytes.Buffer
		l := NewListing(&out, format, []string{"key", "state"})
		for _, key := range []string{"a", long} {
			if err := l.Write(nil, []string{key, "open"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.End(); err != nil {
			t.Fatal(err)
		}
		if wide != (out.Len() > len(long)) || !wide && (strings.Count(out.String(), "\n") != 3 || strings.Count(out.String(), "open") != 2 || out.Len() > 500) {
			t.Errorf("%s: %d bytes: %.300s", format, out.Len(), out.String())
		}
	}
}
