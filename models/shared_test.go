package models

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// shared is accept.Shared.
func shared(t testing.TB, path string) string {
	t.Helper()
	return accept.Shared(t, path)
}

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// stepper drives a model as the engine does: Absorb, then Sample, per block.
type stepper struct {
	model cdf.Model
	t     int64
	seed  uint64 // of the random streams
	draws *cdf.Draws
}

func (s *stepper) step(sh *cdf.Shard, forget float64) error {
	if err := s.model.Check(sh); err != nil {
		return err
	}
	s.t++
	step := cdf.Step{Shard: sh, T: s.t, Forget: forget, RNG: rand.New(rand.NewPCG(1+s.seed, uint64(s.t))), Draws: s.draws}
	for _, b := range s.model.Blocks() {
		b.Absorb(&step)
		if err := b.Sample(&step); err != nil {
			return err
		}
	}
	return nil
}

func (s *stepper) must(t testing.TB, sh *cdf.Shard, forget float64) {
	t.Helper()
	if err := s.step(sh, forget); err != nil {
		t.Fatalf("shard %d: %v", s.t, err)
	}
}

// coefficients returns the functionals beta_0 .. beta_{p-1}, sigma2.
func coefficients(p int) []cdf.Functional {
	out := make([]cdf.Functional, p+1)
	for j := range out {
		out[j] = cdf.Functional{Name: "v", Param: []int{j}, Weight: []float64{1}}
	}
	return out
}

func summarize(t testing.TB, m any, f []cdf.Functional) []cdf.Row {
	t.Helper()
	rows := make([]cdf.Row, len(f))
	if err := m.(cdf.Summarizer).Summarize(f, rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func columns(p int) []string {
	out := make([]string, p)
	for j := range out {
		out[j] = string(rune('a' + j%26))
	}
	return out
}

// relative is the miss of got relative to want.
func relative(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }
