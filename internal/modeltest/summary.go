package modeltest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Coefficients returns the functionals beta_0 .. beta_{p-1}, sigma2.
func Coefficients(p int) []cdf.Functional {
	out := make([]cdf.Functional, p+1)
	for j := range out {
		out[j] = cdf.Functional{Name: "v", Param: []int{j}, Weight: []float64{1}}
	}
	return out
}

// Summarize returns the rows of the functionals.
func Summarize(t testing.TB, m any, f []cdf.Functional) []cdf.Row {
	t.Helper()
	rows := make([]cdf.Row, len(f))
	if err := m.(cdf.Summarizer).Summarize(f, rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Columns returns p names of columns.
func Columns(p int) []string {
	out := make([]string, p)
	for j := range out {
		out[j] = string(rune('a' + j%26))
	}
	return out
}

// Relative is the miss of got relative to want.
func Relative(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

// State returns the bytes of the model's state.
func State(t testing.TB, m cdf.Model) []byte {
	t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// SameState fails unless both models have the same bytes.
func SameState(t testing.TB, a, b cdf.Model) {
	t.Helper()
	if !slices.Equal(State(t, a), State(t, b)) {
		t.Error("states differ")
	}
}

// Published is everything that a model says, as text so that NaN equals NaN.
func Published(t testing.TB, m cdf.Model, sh *cdf.Shard) string {
	t.Helper()
	out := make([]cdf.Prediction, sh.Rows)
	if err := m.(cdf.Predictor).Predict(sh, out); err != nil {
		t.Fatal(err)
	}
	score, err := m.(cdf.Predictor).Score(sh, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v %+v %+v", Summarize(t, m, Coefficients(sh.Cols)), out, score)
	if e, ok := m.(cdf.Evidence); ok {
		text += fmt.Sprintf(" %v", e.LogEvidence())
	}
	return text
}

// RefusesBytes fails unless the model refuses what edit makes of its own
// bytes, which it takes; cdftest tries other lengths.
func RefusesBytes(t *testing.T, m cdf.Model, edits map[string]func(b []byte) []byte) {
	t.Helper()
	good := State(t, m)
	for name, edit := range edits {
		if err := m.UnmarshalBinary(edit(slices.Clone(good))); !errors.Is(err, cdf.ErrSnapshot) {
			t.Errorf("%T, %s: %v", m, name, err)
		}
	}
	if err := m.UnmarshalBinary(good); err != nil {
		t.Errorf("%T: its own bytes: %v", m, err)
	}
}

// LastNaN makes the last number of a state NaN.
func LastNaN(b []byte) []byte { return append(b[:len(b)-8], 1, 0, 0, 0, 0, 0, 0xf8, 0x7f) }

// FirstByte changes the first byte of a state, its format.
func FirstByte(b []byte) []byte { return append([]byte{9}, b[1:]...) }

// Negative sets the sign of the number at a byte of a state.
func Negative(at int) func(b []byte) []byte {
	return func(b []byte) []byte { b[at+7] |= 0x80; return b }
}
