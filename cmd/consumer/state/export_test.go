package state

import (
	"bytes"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/pipeline"
)

// A row of the file is all of a stored value.
func TestRowsAreWholeValues(t *testing.T) {
	snapshot, err := cdf.NewFilter(cdftest.Line(), "k").MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]pipeline.Envelope{
		"plain":             {},
		"with outliers":     {Outlier: 41},
		"an outlier at 0":   {Outlier: 1},
		"with a summary":    {Summary: []byte("summary")},
		"with both of them": {Summary: []byte("summary"), Outlier: 41},
	} {
		e.Offset, e.Time, e.Gaps, e.Snapshot = 1<<40, 1700000000123, 2, snapshot
		if err := e.SetRepeats([]byte{1, 3, 'r', 'u', 'n', 7}); err != nil {
			t.Fatal(err)
		}
		value, err := e.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		row, err := stateRow("k", 1, value)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := valueOf(row); err != nil || !bytes.Equal(back, value) {
			t.Errorf("%s: %x came back as %x, %v", name, value, back, err)
		}
	}
}
