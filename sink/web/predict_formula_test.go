package web

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// Rows to predict have the columns that a formula names, times as JSON has them, and
// lead to what the filter says of the same rows.
func TestPredictByFormula(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	f, err := formula.Parse("log(y) ~ promo * log(n) + C(size) + size + hour(at) + weekday(at) + season(at, 24h, 1) + I(promo == 'yes')")
	if err != nil {
		t.Fatal(err)
	}
	b := &cdf.Batch{Rows: 60, Columns: []cdf.Column{
		{Name: "y"}, {Name: "n"}, {Name: "size", Type: cdf.Integer}, {Name: "at", Type: cdf.Time}, {Name: "promo", Type: cdf.Text, Levels: []string{"no", "yes"}},
	}}
	for i := range b.Rows {
		for j, v := range []float64{float64(1 + i*7%13), float64(1 + i%5), float64(i % 3), 1.7e9 + 1e5*float64(i)} {
			b.Columns[j].Number = append(b.Columns[j].Number, v)
		}
		b.Columns[2].Int = append(b.Columns[2].Int, int64(i%3))
		b.Columns[4].Code = append(b.Columns[4].Code, int32(i/2%2))
	}
	store.put(t, "sales", spec(t, "linear", f.Roles()), b)
	asked := &cdf.Batch{Rows: 2, Columns: []cdf.Column{
		{Name: "promo", Type: cdf.Text, Levels: []string{"yes", "new"}, Code: []int32{0, 1}},
		{Name: "n", Number: []float64{3, 4}}, {Name: "size", Type: cdf.Integer, Number: []float64{2, 7}, Int: []int64{2, 7}},
		{Name: "at", Type: cdf.Time, Number: []float64{1769848200, 1769817600}},
	}}
	want, err := store.models["sales"].Filter.Predict(asked)
	if err != nil {
		t.Fatal(err)
	}
	want = append([]cdf.Prediction(nil), want...)
	post := func(body string) (int, string) {
		status, _, answer := send(s, "POST", "/v1/models/sales/predict", body, "Content-Type", jsonType)
		return status, answer
	}
	for _, at := range []string{`"2026-01-31T08:30:00Z"`, `"2026-01-31T09:30:00+01:00"`, `1769848200`} {
		status, answer := post(`{"rows":[{"promo":"yes","n":3,"size":2,"at":` + at + `},{"promo":"new","n":4,"size":7,"at":"2026-01-31"}]}`)
		if status != 200 {
			t.Fatalf("%s: %d %s", at, status, answer)
		}
		same(t, at, answer, want, 0)
	}
	stream, err := arrow.Encode(asked)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, answer := send(s, "POST", "/v1/models/sales/predict", string(stream), "Content-Type", arrowType); status != 200 {
		t.Errorf("Arrow: %d %s", status, answer)
	} else {
		same(t, "Arrow", answer, want, 0)
	}
	for body, says := range map[string]string{
		`{"rows":[{"promo":"yes","n":3,"size":2}]}`:                               `has no feature \"at\"; a time (2026-01-31`,
		`{"rows":[{"promo":"yes","n":3,"size":2,"at":"yesterday"}]}`:              `\"at\" is text; a time (2026-01-31`,
		`{"rows":[{"promo":"yes","n":"2026-01-31","size":2,"at":"2026-01-31"}]}`:  `\"n\" is text; a finite number`,
		`{"rows":[{"promo":"yes","log(n)":1,"size":2,"at":"2026-01-31"}]}`:        `has no feature \"n\"`,
		`{"rows":[{"promo":"yes","n":3,"size":2.5,"at":"2026-01-31T00:00:00Z"}]}`: `\"size\" is 2.5; a whole number`,
	} {
		if status, answer := post(body); status != 422 || !strings.Contains(answer, says) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	status, _, answer := send(s, "GET", "/v1/models/sales/about", "")
	for _, input := range []string{`{"name":"promo","role":"feature","type":"category","levels":["no","yes"],"baseline":"no","other":"level"}`, `{"name":"n","role":"feature","type":"number"}`, `{"name":"at","role":"feature","moment":true,"type":"number"}`} {
		if status != 200 || !strings.Contains(answer, input) {
			t.Errorf("inputs lack %s: %s", input, answer)
		}
	}
}
