package connect

import (
	"fmt"
	"strings"
	"testing"
)

// Reasons that differ by numbers and what is quoted are one; the most frequent is first,
// and as many are told apart as fit.
func TestReasons(t *testing.T) {
	var r Reasons
	if r.Lines() != nil {
		t.Error("there are reasons of nothing")
	}
	r.Add(0, 7, `decode: $: it ends too early, at byte 12`)
	for i := range 3 {
		r.Add(1, int64(9-i), fmt.Sprintf(`decode: $[%d].price: invalid character '%c', at byte %d`, i, 'x'+rune(i), 17*i))
	}
	r.Add(0, 2, `decode: $: it ends too early, at byte 345`)
	want := `  3: decode: $[2].price: invalid character 'z', at byte 34 (the first at partition 1, offset 7)
  2: decode: $: it ends too early, at byte 345 (the first at partition 0, offset 2)`
	if got := r.String(); got != want || r.Total != 5 {
		t.Errorf("of %d\n%s\nwant\n%s", r.Total, got, want)
	}
	r.Add(2, 0, "\x1b[2J"+strings.Repeat("long ", 100))
	if last := r.Lines()[2]; strings.ContainsRune(last, '\x1b') || len(last) > 250 || !strings.HasSuffix(last, "(at partition 2, offset 0)") {
		t.Errorf("%q", last)
	}
	for i := range 2 * mostReasons {
		r.Add(0, 100, strings.Repeat("x", i+1))
	}
	lines := r.Lines()
	if len(r.list) != mostReasons || len(lines) != mostListed+1 || lines[mostListed] != fmt.Sprintf("%d: other reasons", 2*mostReasons-2) {
		t.Errorf("%d reasons are told apart: %q", len(r.list), lines)
	}
}
