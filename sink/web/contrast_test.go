package web

import (
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
)

// contrasted is the answer about a contrast.
type contrastAnswer struct {
	Key  string
	T, N int64
	Law  map[string]any
	P    *float64 `json:"above_zero"`
	MCSE *float64 `json:"mcse_above_zero"`
}

func contrastOf(t *testing.T, s *Server, key, of string) (int, contrastAnswer, string) {
	t.Helper()
	var a contrastAnswer
	status, _, body := ask(s, "GET", "/v1/models/"+url.PathEscape(key)+"/contrast?of="+url.QueryEscape(of))
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatalf("%s: %v in %s", of, err, body)
	}
	return status, a, body
}

func sameNumber(got any, want float64) bool {
	v, ok := got.(float64)
	return ok && v == want || !ok && math.IsNaN(want)
}

// A contrast is what publish.quantities says of the same expression: to the bit for a
// closed form. Of a model that draws quantiles are those of the same draws; probit's
// moments and probabilities, which a snapshot does not hold, differ by less than
// a standard error of the draws.
func TestContrastIsTheQuantity(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	group := []cdf.Group{{Column: "group"}}
	for _, c := range []struct {
		kind, scenario string
		roles          cdf.Roles
		exact          bool
	}{
		{"linear", "linear", cdf.Roles{Intercept: true}, true},
		{"anova", "anova", cdf.Roles{Groups: group, Features: []cdf.Feature{}}, true},
		{"probit", "probit", cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "x1"}, {Name: "x2"}}}, false},
		{"compressed", "compressed-1", cdf.Roles{Features: []cdf.Feature{{Name: "x1"}, {Name: "x2"}, {Name: "x3"}}}, true},
		{"poisson", "poisson", cdf.Roles{Intercept: true, Groups: group, Exposure: "exposure"}, true},
		{"dlm", "dlm", cdf.Roles{Features: []cdf.Feature{}}, true},
	} {
		b := simulated(t, store, c.kind, c.scenario, c.roles)
		names := store.models[c.kind].Posterior.Summary.Rows
		first, second := "`"+names[0].Variable+"`", "`"+names[1].Variable+"`"
		for _, of := range []string{"2*" + first + " + 1", first + " - " + second, "exp(" + first + ") - 1"} {
			form, err := quantity.ParseForm(of, nil)
			if err != nil {
				t.Fatal(err)
			}
			side, err := quantity.ParseComparison("("+of+") > 0", nil)
			if err != nil {
				t.Fatal(err)
			}
			asking := *spec(t, c.kind, c.roles)
			asking.Publish.Quantities = []quantity.Quantity{{Name: of, Kind: quantity.KindForm, Form: form}, {Name: "p", Kind: quantity.KindProbability, Form: side}}
			sum, err := cdf.NewFilter(&asking, c.kind).Update(b)
			if err != nil {
				t.Fatal(err)
			}
			status, a, body := contrastOf(t, s, c.kind, of)
			if why := sum.Quantities[0].Absent; why != "" {
				if status != 422 || errorCode(body) != "unfit" || !strings.Contains(body, why) {
					t.Errorf("%s: %d %s, want %q", of, status, body, why)
				}
				continue
			}
			if status != 200 || a.Key != c.kind || a.T != 1 || a.N != sum.N || a.Law["variable"] != of {
				t.Errorf("%s: %d %s", of, status, body)
				continue
			}
			want := &sum.Rows[0]
			for i, v := range want.Numbers() {
				name, near := cdf.RowColumns[i], false
				if !c.exact && (name == "mean" || name == "sd" || strings.HasPrefix(name, "mcse")) {
					got, _ := a.Law[name].(float64)
					near = math.Abs(got-*v) < want.SD/3
				}
				if !near && !sameNumber(a.Law[name], *v) {
					t.Errorf("%s of %s: %s is %v, want %v", c.kind, of, name, a.Law[name], *v)
				}
			}
			p := math.NaN()
			if sum.Quantities[1].Absent == "" {
				p = sum.Rows[1].Mean
			}
			if c.exact && !sameNumber(floatOf(a.P), p) || !c.exact && (a.P == nil || math.Abs(*a.P-p) > .1) {
				t.Errorf("%s of %s: P is %v, want %v", c.kind, of, floatOf(a.P), p)
			}
		}
	}
}

func floatOf(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// What cannot be answered says why, and where in the expression.
func TestContrastRefused(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		query  string
		status int
		code   string
		says   string
	}{
		{"", 400, "bad_query", "of is missing"},
		{"of=a&of=b", 400, "bad_query", "may be given once"},
		{"off=a", 400, "bad_query", "unknown parameter"},
		{"of=" + strings.Repeat("a", 1001), 400, "bad_query", "at most 1000 characters"},
		{"of=%2Bintercept%2B", 422, "bad_expression", "column 12"},
		{"of=a*b", 422, "bad_expression", "product of two variables"},
		{"of=3", 422, "bad_expression", "has no variable"},
		{"of=nobody", 422, "unfit", "there is no variable nobody so far"},
	} {
		status, _, body := ask(s, "GET", "/v1/models/flights%2FATL/contrast?"+c.query)
		if status != c.status || errorCode(body) != c.code || !strings.Contains(body, c.says) {
			t.Errorf("%.60s: %d %s; want %d %s with %q", c.query, status, body, c.status, c.code, c.says)
		}
	}
	if status, _, body := ask(s, "GET", "/v1/models/nobody/contrast?of=a"); status != 404 {
		t.Errorf("a key without a model: %d %s", status, body)
	}
	const always = "exp(beta%5Bintercept%5D)%2B1" // never below 0
	for _, path := range []string{"/v1/model/contrast?key=flights%2FATL&of=", "/v1/models/flights%2FATL/contrast?of="} {
		if status, _, body := ask(s, "GET", path+always); status != 200 || !strings.Contains(body, `"above_zero":null,`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if status, _, body := ask(s, "GET", path+"beta%5Bintercept%5D"); status != 200 || !strings.Contains(body, `"variable":"beta[intercept]"`) {
			t.Errorf("%s: a variable itself: %d %s", path, status, body)
		}
	}
	if status, _, body := ask(s, "POST", "/v1/models/flights%2FATL/contrast?of=a"); status != 405 {
		t.Errorf("POST: %d %s", status, body)
	}
}

// Contrasts wait for a turn as predictions do, and none is lost.
func TestContrastsTakeTurns(t *testing.T) {
	s := newServer(t, nil)
	s.turns = newTurns(1, 1<<20)
	s.turns.patience = time.Millisecond
	s.turns.running <- struct{}{}
	if status, h, body := ask(s, "GET", "/v1/models/flights%2FATL/contrast?of=nobody"); status != 503 || errorCode(body) != "busy" || h.Get("Retry-After") == "" {
		t.Errorf("without a turn: %d %s", status, body)
	}
	<-s.turns.running
	s.turns.patience = turnPatience
	for range 3 {
		if status, _, body := ask(s, "GET", "/v1/models/flights%2FATL/contrast?of=nobody"); status != 422 {
			t.Errorf("with one: %d %s", status, body)
		}
	}
	if len(s.turns.running) != 0 {
		t.Errorf("%d turns were not given back", len(s.turns.running))
	}
}
