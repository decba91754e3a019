//go:build unix

package interop

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/credence-stream/credence/testenv"
)

// TestFormulaic makes the design matrices again that the tests of cdf/formula compare
// ours with: formulaic still says the same.
func TestFormulaic(t *testing.T) {
	python := testenv.Formulaic(t)
	if python == "" {
		t.Skip("no formulaic") // said so, loudly
	}
	const folder = "../../cdf/formula/testdata"
	made := filepath.Join(t.TempDir(), "matrices.json")
	cmd := exec.CommandContext(t.Context(), python, "-B", "-W", "ignore", filepath.Join(folder, "matrices.py"), made)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	type matrix struct {
		Formula string
		Names   []string
		Columns [][]float64
	}
	var golden, again struct{ Cases []matrix }
	for name, into := range map[string]any{filepath.Join(folder, "matrices.json"): &golden, made: &again} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	if len(golden.Cases) < 50 || len(again.Cases) != len(golden.Cases) {
		t.Fatalf("%d formulas, formulaic made %d", len(golden.Cases), len(again.Cases))
	}
	for i, want := range again.Cases {
		got := golden.Cases[i]
		if got.Formula != want.Formula || !slices.Equal(got.Names, want.Names) {
			t.Errorf("%s: %q\nformulaic: %s: %q", got.Formula, got.Names, want.Formula, want.Names)
			continue
		}
		for j := range want.Columns {
			for row, w := range want.Columns[j] {
				if v := got.Columns[j][row]; !(math.Abs(v-w) <= 1e-13*max(1, math.Abs(w))) {
					t.Errorf("%s: %s, row %d: %v, formulaic %v", got.Formula, got.Names[j], row, v, w)
				}
			}
		}
	}
}
