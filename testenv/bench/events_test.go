//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Events are the rows of a shard, one an object, with the same bits.
func TestEventsAreTheRowsOfAShard(t *testing.T) {
	b := regression(7, columns).several(2)[1]
	all, err := events(b)
	if err != nil || len(all) != b.Rows {
		t.Fatalf("%d events of %d rows, %v", len(all), b.Rows, err)
	}
	for i, text := range all {
		var row map[string]float64
		if err := json.Unmarshal(text, &row); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(row) != len(b.Columns) {
			t.Errorf("%s has not the %d columns", text, len(b.Columns))
		}
		for j := range b.Columns {
			if c := &b.Columns[j]; row[c.Name] != c.Number[i] {
				t.Errorf("row %d: %s is %v, want %v", i, c.Name, row[c.Name], c.Number[i])
			}
		}
	}
}

// A part that is not there is refused before anything is measured.
func TestOnlyPartsThatAreThere(t *testing.T) {
	b := &bench{}
	if err := b.parts("events,evnets"); err == nil || !strings.Contains(err.Error(), `"evnets"`) || !strings.Contains(err.Error(), "linear, kernels") || b.rig != nil {
		t.Errorf("%v", err)
	}
}
