package web

import (
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// Where a missing label is a level or a group of its own, rows to predict may lack it: as null, in Arrow of any
// type, or by the name that posteriors have. All are one prediction, and not that of another label.
func TestPredictMissingLevels(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	b := &cdf.Batch{Rows: 60, Columns: []cdf.Column{{Name: "y"}, {Name: "c", Type: cdf.Text, Levels: []string{"a", "b"}}}}
	for i := range b.Rows {
		b.Columns[0].Number = append(b.Columns[0].Number, float64(10*(i%3))+float64(i%7))
		b.Columns[1].Code = append(b.Columns[1].Code, int32(i%3-1)) // -1: missing
	}
	listed := cdf.Feature{Name: "c", Levels: []string{"a", "b"}, Baseline: "a", Other: "reject"}
	for key, roles := range map[string]cdf.Roles{
		"linear": {Intercept: true, Features: []cdf.Feature{listed}},
		"anova":  {Groups: []cdf.Group{{Column: "c"}}, Features: []cdf.Feature{}},
	} {
		sp := spec(t, key, roles)
		sp.Missing = "level"
		store.put(t, key, sp, b)
		ask := func(kind, body string) string {
			status, _, answer := send(s, "POST", "/v1/models/"+key+"/predict", body, "Content-Type", kind)
			if status != 200 || strings.Contains(answer, `"mean":null`) {
				t.Errorf("%s %.40q: %d %s", key, body, status, answer)
			}
			return answer
		}
		want := ask(jsonType, `{"rows":[{"c":null}]}`)
		if other := ask(jsonType, `{"rows":[{"c":"a"}]}`); other == want {
			t.Errorf("%s: a missing label is predicted as another: %s", key, want)
		}
		if got := ask(jsonType, `{"rows":[{"c":"__missing__"}]}`); got != want {
			t.Errorf("%s by name: %s, want %s", key, got, want)
		}
		for _, lacking := range []cdf.Column{{Type: cdf.Text, Code: []int32{-1}, Levels: []string{}}, {Number: []float64{math.NaN()}}} {
			lacking.Name = "c"
			stream, err := arrow.Encode(&cdf.Batch{Rows: 1, Columns: []cdf.Column{lacking}})
			if err != nil {
				t.Fatal(err)
			}
			if got := ask(arrowType, string(stream)); got != want {
				t.Errorf("%s, Arrow of type %d: %s, want %s", key, lacking.Type, got, want)
			}
		}
		status, _, answer := send(s, "POST", "/v1/models/"+key+"/predict", `{"rows":[{}]}`, "Content-Type", jsonType)
		if status != 422 || !strings.Contains(answer, "or null where it is missing") {
			t.Errorf("%s without the column: %d %s", key, status, answer)
		}
	}
}
