package cdf

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf/correlated"
)

// Another release may judge by another rule: states whose account differs in weighed transforms and sums of
// judgements alone come from the same sums, and those whose average differs do not.
func TestMayBeJudgedOtherwise(t *testing.T) {
	for _, c := range []struct {
		to, from account
		same     bool
	}{
		{account{mean: -3, spread: 1, fallen: 9}, account{mean: -3, spread: 1}, true},
		{account{mean: -3, spread: 1}, account{mean: -3, spread: 1, pit: [pitClasses]float32{5}, errors: correlated.Errors{Sum: 3}}, true},
		{account{mean: -3, spread: 1, fallen: 9}, account{mean: -3.1, spread: 1, fallen: 9}, false},
	} {
		to := state{account: c.to}
		if same := to.takeRounded(&state{account: c.from}); same != c.same || to.account != c.from {
			t.Errorf("%+v and %+v: %v, and takes %+v", c.to, c.from, same, to.account)
		}
	}
}

// What is known of correlated errors is read as it was written, and nothing else is.
func TestErrorsInSnapshots(t *testing.T) {
	for _, c := range []struct {
		errors correlated.Errors
		wrong  bool
	}{
		{correlated.Errors{Sum: 3.5}, false},
		{correlated.Errors{Rows: 3, Scores: -2, Shared: .25}, false},
		{correlated.Errors{Sum: 42, Rows: 1, Shared: 1e-9}, false},
		{correlated.Errors{}, true},
		{correlated.Errors{Sum: -1}, true},
		{correlated.Errors{Sum: 3, Rows: 4, Shared: 1}, true},
		{correlated.Errors{Sum: 3, Rows: 2, Shared: 5}, true},
	} {
		a := account{errors: c.errors}
		b := a.appendErrors(nil)
		for n := range len(b) + 1 {
			var got account
			r := &reader{b: b[:n]}
			got.readErrors(r, true)
			switch whole := n == len(b); {
			case (r.err != nil) != (c.wrong || !whole):
				t.Errorf("%+v, %d of %d bytes: %v", c.errors, n, len(b), r.err)
			case r.err == nil && got.errors != c.errors:
				t.Errorf("%+v is read as %+v", c.errors, got.errors)
			case c.wrong && whole && !strings.Contains(r.err.Error(), "correlated errors"):
				t.Errorf("%+v: %v", c.errors, r.err)
			}
		}
	}
}
