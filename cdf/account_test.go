package cdf

import "testing"

// Another release may judge drift by another rule: states whose account differs in that sum
// alone come from the same sums, and those whose average differs do not.
func TestDriftMayBeJudgedOtherwise(t *testing.T) {
	for _, c := range []struct {
		to, from account
		same     bool
	}{
		{account{mean: -3, spread: 1, fallen: 9}, account{mean: -3, spread: 1}, true},
		{account{mean: -3, spread: 1, fallen: 9}, account{mean: -3.1, spread: 1, fallen: 9}, false},
	} {
		to := state{account: c.to}
		if same := to.takeRounded(&state{account: c.from}); same != c.same || to.account != c.from {
			t.Errorf("%+v and %+v: %v, and takes %+v", c.to, c.from, same, to.account)
		}
	}
}
