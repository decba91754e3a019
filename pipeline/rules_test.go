package pipeline

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

func testRules(t *testing.T, limits Limits, match string) *Rules {
	t.Helper()
	r, err := NewRules([]Rule{{Match: match, Spec: cdf.NewSpec("toy", "corrected", nil, nil)}}, limits)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOnlyRaisedLimitsAreAcceptedInPlace(t *testing.T) {
	limits := Limits{Record: 100, Rows: 10, Columns: 10, Groups: 10, Summary: 100}
	old := testRules(t, limits, "**")
	stored, ok := old.accept(nil, 5)
	if !ok || len(stored) != 1 || stored[0].From != 5 {
		t.Fatalf("first configuration: %+v, %v", stored, ok)
	}
	if list, ok := old.accept(stored, 9); !ok || list != nil {
		t.Errorf("the same configuration: %+v, %v, want no change", list, ok)
	}
	if !old.Accepts(stored) || testRules(t, limits, "a*").Accepts(stored) {
		t.Error("the same configuration does not go on, or another match does")
	}
	raised := limits
	raised.Rows = 11
	list, ok := testRules(t, raised, "**").accept(stored, 9)
	if !ok || len(list) != 2 || list[1].From != 9 || list[0] != stored[0] {
		t.Errorf("raised limit: %+v, %v", list, ok)
	}
	if _, ok := old.accept(list, 12); ok {
		t.Error("a lowered limit was accepted: records would be refused on replay that were applied before")
	}
	if _, ok := testRules(t, limits, "a*").accept(stored, 9); ok {
		t.Error("another match was accepted: keys would change their model")
	}
	if !json.Valid([]byte(stored[0].Limits)) {
		t.Errorf("limits %q are not JSON", stored[0].Limits)
	}
}

// What was recorded under limits stays so when the models are others: each limit
// from its offset on.
func TestRecordedInstead(t *testing.T) {
	limits := Limits{Record: 100, Rows: 10, Columns: 10, Groups: 10, Summary: 100}
	raised := limits
	raised.Rows = 11
	stored, _ := testRules(t, raised, "**").accept(testRules(t, limits, "**").Recorded(5), 9)
	other := testRules(t, raised, "a*")
	got := other.Instead(stored)
	want, _ := other.accept(testRules(t, limits, "a*").Recorded(5), 9)
	if len(got) != 2 || !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !other.Accepts(got) || testRules(t, limits, "a*").Accepts(got) || other.Accepts(stored) {
		t.Error("other models do not go on, or do under lower limits")
	}
}

func TestCheckKey(t *testing.T) {
	for _, c := range []struct {
		name string
		key  []byte
		ok   bool
	}{
		{"null", nil, false},
		{"empty", []byte{}, false},
		{"longest", []byte(strings.Repeat("k", 512)), true},
		{"too long", []byte(strings.Repeat("k", 513)), false},
		{"not UTF-8", []byte{0xff}, false},
		{"unicode", []byte("ключ/é"), true},
	} {
		if reason := checkKey(c.key); (reason == "") != c.ok {
			t.Errorf("%s: %q", c.name, reason)
		}
	}
}
