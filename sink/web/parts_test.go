package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
)

// What takes too long is refused with what to do and not left without an answer, and what nobody waits for ends.
func TestPredictionsEnd(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	b := simulated(t, store, "anova", "anova", cdf.Roles{Groups: []cdf.Group{{Column: "group"}}, Features: []cdf.Feature{}})
	s.compute = -time.Second // from the second part on
	rows := strings.Repeat(`{"group":1},`, firstPart)
	for n, want := range map[int]int{0: 200, 1: 413} {
		body := `{"rows":[` + strings.TrimSuffix(rows+strings.Repeat(`{"group":2},`, n), ",") + `]}`
		status, _, answer := send(s, "POST", "/v1/models/anova/predict", body, "Content-Type", jsonType)
		if told := fmt.Sprintf("%d of %d rows were predicted", firstPart, firstPart+n); status != want || want == 413 && (!strings.Contains(answer, told) || !strings.Contains(answer, "in several requests")) {
			t.Errorf("%d rows: %d %.200s", firstPart+n, status, answer)
		}
	}
	ctx, gone := context.WithCancel(t.Context())
	gone()
	r := &reckoner{ctx: ctx, filter: store.models["anova"].Filter, until: time.Now().Add(time.Hour)}
	if _, err := r.predict(b); !errors.Is(err, context.Canceled) {
		t.Errorf("of a client that left: %v", err)
	}
}

// Parts are predicted as the whole is.
func TestPredictedInParts(t *testing.T) {
	var store *shelf
	newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	sp, b := flights(t, "level")
	store.put(t, "open", sp, b)
	whole := &cdf.Batch{Rows: 10 * b.Rows}
	for _, c := range b.Columns {
		c.Number, c.Code = slices.Repeat(c.Number, 10), slices.Repeat(c.Code, 10)
		whole.Columns = append(whole.Columns, c)
	}
	f := store.models["open"].Filter
	found, err := f.Predict(whole)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]cdf.Prediction(nil), found...)
	got, err := (&reckoner{ctx: t.Context(), filter: f, until: time.Now().Add(time.Hour)}).predict(whole)
	if err != nil || len(got) != len(want) {
		t.Fatal(len(got), err)
	}
	for i := range want {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			t.Fatalf("row %d: %v, of the whole %v", i, got[i], want[i])
		}
	}
}
