package web

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// A value whose prediction no float64 holds is refused with its row, column, size and
// remedy, of every kind, from JSON and from Arrow; no other answer has a null.
func TestPredictBeyondRange(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	for _, c := range taught {
		b := simulated(t, store, c.kind, c.scenario, c.roles)
		asked := 0
		for j, column := range b.Columns {
			if !slices.ContainsFunc(store.models[c.kind].Filter.Inputs(), func(in cdf.Input) bool { return in.Name == column.Name && numeric(&in) }) {
				continue
			}
			for _, v := range []float64{math.MaxFloat64, 1e308, -1e308, 1e200, -1e200, 1e160, 1e100, 1e10, 1e5, 1e-308} {
				if column.Name == "exposure" && v < 0 {
					continue
				}
				asked++
				rows, row := cdf.Batch{Rows: 2}, map[string]any{}
				for k, other := range b.Columns {
					one := cdf.Column{Name: other.Name, Type: other.Type, Number: append([]float64(nil), other.Number[:2]...), Levels: other.Levels}
					if len(other.Int) > 0 {
						one.Int = append([]int64(nil), other.Int[:2]...)
					}
					if k == j {
						one.Number[1] = v
					}
					row[one.Name] = one.Number[1]
					rows.Columns = append(rows.Columns, one)
				}
				delete(row, "y")
				stream, err := arrow.Encode(&rows)
				if err != nil {
					t.Fatal(err)
				}
				body, err := json.Marshal(map[string]any{"rows": []any{row}})
				if err != nil {
					t.Fatal(err)
				}
				for sent, body := range map[string]string{jsonType: string(body), arrowType: string(stream)} {
					status, _, answer := send(s, "POST", "/v1/models/"+c.kind+"/predict", body, "Content-Type", sent)
					at := map[string]int{jsonType: 0, arrowType: 1}[sent]
					says := fmt.Sprintf(`row %d (from 0): %s \"%s\" is %g`, at, map[bool]string{false: "feature", true: "exposure"}[column.Name == "exposure"], column.Name, v)
					switch {
					case status == 200 && strings.Contains(answer, "null"):
						t.Errorf("%s, %s = %g by %s: 200 with a null: %s", c.kind, column.Name, v, sent, answer)
					case status == 200 && math.Abs(v) <= 1e100, status == 200 && c.kind == "probit": // a probability is 0 or 1 there
					case status != 422 || errorCode(answer) != "not_finite" || !strings.Contains(answer, says) || !strings.Contains(answer, "no float64") && !strings.Contains(answer, "check the unit"):
						t.Errorf("%s, %s = %g by %s: %d %s", c.kind, column.Name, v, sent, status, answer)
					case c.kind != "poisson" && math.Abs(v) < 1e100:
						t.Errorf("%s, %s = %g by %s is refused: %s", c.kind, column.Name, v, sent, answer)
					}
				}
			}
		}
		if asked == 0 && c.kind != "anova" { // which takes labels alone
			t.Errorf("%s: nothing was asked", c.kind)
		}
	}
}

// What a model has no number for at any value stays null; columns that a formula
// reads are named as they were sent.
func TestPredictWithoutNumbers(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	ask := func(key, row string) (int, string) {
		status, _, answer := send(s, "POST", "/v1/models/"+key+"/predict", `{"rows":[`+row+`]}`, "Content-Type", jsonType)
		return status, answer
	}
	store.put(t, "one", spec(t, "anova", cdf.Roles{Groups: []cdf.Group{{Column: "group"}}, Features: []cdf.Feature{}}), &cdf.Batch{Rows: 4, Columns: []cdf.Column{
		{Name: "y", Number: []float64{1, 2, 3, 5}}, {Name: "group", Type: cdf.Text, Levels: []string{"a"}, Code: make([]int32, 4)},
	}})
	if status, answer := ask("one", `{"group":"b"}`); status != 200 || !strings.Contains(answer, "null") {
		t.Errorf("a second group beside one of four rows: %d %s", status, answer)
	}
	store.put(t, "counts", spec(t, "poisson", cdf.Roles{Intercept: true, Groups: []cdf.Group{{Column: "group"}}}), &cdf.Batch{Rows: 6, Columns: []cdf.Column{
		{Name: "y", Number: []float64{1, 2, 3, 5, 2, 1}}, {Name: "group", Type: cdf.Text, Levels: []string{"a", "b"}, Code: []int32{0, 0, 0, 1, 1, 1}},
		{Name: "x", Number: []float64{1, 2, 3, 1, 3, 2}},
	}})
	if status, answer := ask("counts", `{"group":"c","x":1}`); status != 200 || !strings.Contains(answer, "null") {
		t.Errorf("a third group beside two of three rows: %d %s", status, answer)
	}
	f, err := formula.Parse("y ~ log(n)")
	if err != nil {
		t.Fatal(err)
	}
	b := &cdf.Batch{Rows: 30, Columns: []cdf.Column{{Name: "y"}, {Name: "n"}}}
	for i := range b.Rows {
		b.Columns[0].Number = append(b.Columns[0].Number, float64(i%7))
		b.Columns[1].Number = append(b.Columns[1].Number, float64(1+i%5))
	}
	store.put(t, "logs", spec(t, "linear", f.Roles()), b)
	for _, n := range []string{"1e308", "1", "1e-308"} {
		if status, answer := ask("logs", `{"n":`+n+`}`); status != 200 || strings.Contains(answer, "null") {
			t.Errorf("log(%s): %d %s", n, status, answer)
		}
	}
	if f, err = formula.Parse("y ~ I(n*n)"); err != nil {
		t.Fatal(err)
	}
	store.put(t, "squares", spec(t, "linear", f.Roles()), b)
	if status, answer := ask("squares", `{"n":1e120}`); status != 422 || !strings.Contains(answer, `feature \"n\" is 1e+120`) {
		t.Errorf("the square of 1e120: %d %s", status, answer)
	}
}

// A forecast that leaves the range of float64 says how far it may go.
func TestForecastBeyondRange(t *testing.T) {
	steps := make([]pipeline.RowPrediction, 5)
	for i := range steps {
		steps[i] = pipeline.RowPrediction{Row: int64(i + 1), Prediction: cdf.Prediction{Mean: 1, SD: math.NaN()}}
	}
	if err := checkFound(nil, nil, asked{horizon: 5}, steps); err != nil {
		t.Errorf("no step has an sd: %v", err)
	}
	steps[3].Mean = math.Inf(1)
	if err := checkFound(nil, nil, asked{horizon: 5}, steps); err == nil || !strings.Contains(err.Error(), "4 steps ahead is beyond") || !strings.Contains(err.Error(), "at most 3") {
		t.Errorf("step 4 is infinite: %v", err)
	}
}
