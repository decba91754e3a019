// Package modeltest drives models in tests as the engine does, and reads what
// they are compared with.
package modeltest

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/internal/accept"
)

// ReadJSON reads a file of the shared data.
func ReadJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(accept.Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// ReadCSV reads a file of the shared data; header tells the columns by name.
func ReadCSV(t *testing.T, path string) (header map[string]int, rows [][]string) {
	t.Helper()
	f, err := os.Open(accept.Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	header = map[string]int{}
	for j, name := range all[0] {
		header[name] = j
	}
	return header, all[1:]
}

// Number parses a number of a file.
func Number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
