package web

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/pipeline/arrow"
)

type predicted struct {
	Key         string
	T, N        int64
	Predictions []struct {
		Row    int64
		Mean   *float64 `json:"mean"`
		SD     *float64 `json:"sd"`
		Q025   *float64 `json:"q2.5"`
		Q975   *float64 `json:"q97.5"`
		EpSD   *float64 `json:"epred_sd"`
		EpQ025 *float64 `json:"epred_q2.5"`
		EpQ975 *float64 `json:"epred_q97.5"`
	}
}

// same compares an answer with what the filter itself says, bit for bit.
func same(t *testing.T, what, body string, want []cdf.Prediction, first int64) {
	t.Helper()
	var p predicted
	if err := json.Unmarshal([]byte(body), &p); err != nil || len(p.Predictions) != len(want) {
		t.Fatalf("%s: %v, %d predictions of %d: %.300s", what, err, len(p.Predictions), len(want), body)
	}
	for i, w := range want {
		g := p.Predictions[i]
		for _, v := range []struct {
			name string
			got  *float64
			want float64
		}{
			{"mean", g.Mean, w.Mean}, {"sd", g.SD, w.SD}, {"q2.5", g.Q025, w.Q025}, {"q97.5", g.Q975, w.Q975},
			{"epred_sd", g.EpSD, w.EpredSD}, {"epred_q2.5", g.EpQ025, w.EpredQ025}, {"epred_q97.5", g.EpQ975, w.EpredQ975},
		} {
			undefined := math.IsNaN(v.want) || math.IsInf(v.want, 0)
			if (v.got == nil) != undefined || v.got != nil && *v.got != v.want {
				t.Errorf("%s: row %d, %s is %v, want %v", what, i, v.name, v.got, v.want)
			}
		}
		if g.Row != first+int64(i) {
			t.Errorf("%s: row %d is numbered %d", what, i, g.Row)
		}
	}
	if len(want) > 0 && p.Predictions[0].Mean == nil {
		t.Errorf("%s: nothing is predicted", what)
	}
}

// simulated puts a model of each kind on the shelf, taken through a shard of a
// scenario, and returns the shard.
func simulated(t *testing.T, s *shelf, kind, scenario string, roles cdf.Roles) *cdf.Batch {
	t.Helper()
	sc, ok := simulate.Lookup(scenario)
	if !ok {
		t.Fatalf("no scenario %s", scenario)
	}
	d := sc.Shard(1, kind, 1, 80)
	b := d.Batch(0)
	s.put(t, kind, spec(t, kind, roles), b)
	return b
}

// taught are the kinds that predict rows, each with a scenario of its own.
var taught = func() []struct {
	kind, scenario string
	roles          cdf.Roles
} {
	group := []cdf.Group{{Column: "group"}}
	return []struct {
		kind, scenario string
		roles          cdf.Roles
	}{
		{"linear", "linear", cdf.Roles{Intercept: true}},
		{"anova", "anova", cdf.Roles{Groups: group, Features: []cdf.Feature{}}},
		{"probit", "probit", cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "x1"}, {Name: "x2"}}}},
		{"compressed", "compressed-1", cdf.Roles{Features: []cdf.Feature{{Name: "x1"}, {Name: "x2"}, {Name: "x3"}}}},
		{"poisson", "poisson", cdf.Roles{Intercept: true, Groups: group, Exposure: "exposure"}},
	}
}()

// Every model predicts over HTTP what its filter predicts, from JSON and from
// Arrow: the numbers of publish.predictions.
func TestPredictEveryKind(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	for _, c := range taught {
		b := simulated(t, store, c.kind, c.scenario, c.roles)
		m := store.models[c.kind]
		var rows []map[string]any
		for i := range 5 {
			row := map[string]any{}
			for _, column := range b.Columns {
				if column.Name != "y" {
					row[column.Name] = column.Number[i]
				}
			}
			rows = append(rows, row)
		}
		found, err := m.Filter.Predict(b)
		if err != nil {
			t.Fatal(err)
		}
		want := append([]cdf.Prediction(nil), found...)
		body, err := json.Marshal(map[string]any{"rows": rows})
		if err != nil {
			t.Fatal(err)
		}
		status, _, answer := send(s, "POST", "/v1/models/"+c.kind+"/predict", string(body), "Content-Type", jsonType)
		if status != 200 {
			t.Errorf("%s: %d %s", c.kind, status, answer)
			continue
		}
		same(t, c.kind, answer, want[:5], 0)
		stream, err := arrow.Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		if status, _, answer = send(s, "POST", "/v1/models/"+c.kind+"/predict", string(stream), "Content-Type", arrowType); status != 200 {
			t.Errorf("%s, Arrow: %d %s", c.kind, status, answer)
			continue
		}
		same(t, c.kind+", Arrow", answer, want, 0)
		status, h, answer := send(s, "POST", "/v1/models/"+c.kind+"/predict", string(stream), "Content-Type", arrowType, "Accept", arrowType)
		back, err := arrow.NewDecoder(arrow.Limits{}).Decode([]byte(answer))
		if status != 200 || h.Get("Content-Type") != arrowType || err != nil || back.Rows != len(want) || back.Columns[1].Number[3] != want[3].Mean ||
			back.Columns[5].Name != "epred_sd" || back.Columns[5].Number[3] != want[3].EpredSD ||
			back.Columns[6].Number[3] != want[3].EpredQ025 || back.Columns[7].Name != "epred_q97.5" || back.Columns[7].Number[3] != want[3].EpredQ975 {
			t.Errorf("%s, Arrow out: %d %v", c.kind, status, err)
		}
		if status, _, answer = send(s, "POST", "/v1/models/"+c.kind+"/predict", `{"horizon":3}`, "Content-Type", jsonType); status != 422 || !strings.Contains(answer, "rows are needed") {
			t.Errorf("%s with a horizon: %d %s", c.kind, status, answer)
		}
	}
	simulated(t, store, "dlm", "dlm", cdf.Roles{Features: []cdf.Feature{}})
	want, err := store.models["dlm"].Filter.Forecast(12)
	if err != nil {
		t.Fatal(err)
	}
	want = append([]cdf.Prediction(nil), want...)
	status, _, answer := send(s, "POST", "/v1/models/dlm/predict", `{"horizon":12}`, "Content-Type", jsonType)
	if status != 200 {
		t.Fatalf("dlm: %d %s", status, answer)
	}
	same(t, "dlm", answer, want, 1)
}

// An unseen group gets the population's distribution, an unlisted level what
// the configuration says.
func TestPredictUnknownLabels(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	simulated(t, store, "anova", "anova", cdf.Roles{Groups: []cdf.Group{{Column: "group"}}, Features: []cdf.Feature{}})
	sp, b := flights(t, "level")
	store.put(t, "open", sp, b)
	sp, b = flights(t, "drop")
	store.put(t, "dropping", sp, b)
	for _, c := range []struct {
		key, row string
		status   int
	}{
		{"anova", `{"group":99}`, 200}, {"anova", `{"group":"new"}`, 200}, {"anova", `{"group":1}`, 200},
		{"open", `{"distance":1,"carrier":"ZZ"}`, 200}, {"dropping", `{"distance":1,"carrier":"ZZ"}`, 422}, {"dropping", `{"distance":1,"carrier":"DL"}`, 200},
	} {
		status, _, body := send(s, "POST", "/v1/models/"+c.key+"/predict", `{"rows":[`+c.row+`]}`, "Content-Type", jsonType)
		if status != c.status {
			t.Errorf("%s %s: %d %s", c.key, c.row, status, body)
		}
		if c.status == 200 && strings.Contains(body, `"mean":null`) {
			t.Errorf("%s %s: nothing is predicted: %s", c.key, c.row, body)
		}
	}
}

func TestPredictRefusals(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Body = 4096 })
	good := `{"distance":1,"carrier":"AA"}`
	for _, c := range []struct {
		body   string
		status int
		code   string
		says   string
	}{
		{`{"rows":[` + good + `,{"distance":2,"carrier":"ZZ"}]}`, 422, "unknown_level", `row 1 (from 0): feature "carrier" has no level "ZZ"; there are "AA", "DL"`},
		{`{"rows":[{"carrier":"AA"}]}`, 422, "missing_value", `row 0 (from 0) has no feature "distance"`},
		{`{"rows":[{"distance":null,"carrier":"AA"}]}`, 422, "missing_value", `"distance" is null; a finite number`},
		{`{"rows":[{"distance":1,"carrier":null}]}`, 422, "missing_value", `"carrier" is null; a label`},
		{`{"rows":[{"distance":"far","carrier":"AA"}]}`, 422, "wrong_type", `"distance" is text`},
		{`{"rows":[{"distance":[1],"carrier":"AA"}]}`, 422, "wrong_type", "a list or an object"},
		{`{"rows":[{"distance":1,"carrier":1.5}]}`, 422, "wrong_type", `"carrier" is 1.5; a label`},
		{`{"rows":[{"distance":1,"carrier":9007199254740993.0}]}`, 422, "wrong_type", `"carrier" is 9007199254740993.0; a label`},
		{`{"rows":[{"distance":1,"carrier":"\ud800"}]}`, 400, "bad_body", "half of a surrogate pair"},
		{`{"rows":[{"distance":1,"carrier":"\uDC00","carrier":"AA"}]}`, 400, "bad_body", "half of a surrogate pair"},
		{"{\"rows\":[{\"distance\":1,\"carrier\":\"A\xff\"}]}", 400, "bad_body", "not UTF-8"},
		{`{"rows":[{"distance":1,"carrier":"\\\ud83d\\ude00"}]}`, 400, "bad_body", "half of a surrogate pair"},
		{`{"rows":[{"distance":1e999,"carrier":"AA"}]}`, 422, "not_finite", "1e999, which no float64 holds"},
		{`{"rows":[{"distance":1,"distance":2,"carrier":"AA"}]}`, 422, "given_twice", "twice"},
		{`{"rows":[]}`, 422, "unfit", "no rows"},
		{`{}`, 422, "unfit", "rows are needed"},
		{`{"horizon":3}`, 422, "unfit", "rows are needed"},
		{`{"rows":[` + good + `],"horizon":3}`, 422, "unfit", "both given"},
		{`{"horizon":0}`, 422, "bad_horizon", "from 1 to 2000"},
		{`{"horizon":2001}`, 422, "bad_horizon", "from 1 to 2000"},
		{`{"horizon":"x"}`, 422, "bad_horizon", "from 1 to 2000"},
		{`{"rows":[` + good + `],"rows":[]}`, 400, "bad_body", "given twice"},
		{`{"row":[]}`, 400, "bad_body", `unknown key "row"`},
		{`{"rows":{}}`, 400, "bad_body", "expected"},
		{`{"rows":[3]}`, 400, "bad_body", "expected"},
		{`[]`, 400, "bad_body", "expected"},
		{`{"rows":[` + good + `,{"carrier":"AA","distance":NaN}]}`, 400, "bad_body", `row 1 (from 0), "distance": the body is not JSON: invalid character 'N' looking for beginning of value; JSON has neither NaN`},
		{`{"rows":[{"distance":-Infinity,"carrier":"AA"}]}`, 400, "bad_body", `row 0 (from 0), "distance": the body is not JSON`},
		{``, 400, "bad_body", "not JSON"},
		{"\uFEFF", 400, "bad_body", "not JSON"},
		{"\uFEFF\uFEFF{\"rows\":[" + good + "]}", 400, "bad_body", "not JSON"},
		{`{"rows":[` + good, 400, "bad_body", "not JSON"},
		{`{"rows":[` + good + `]} x`, 400, "bad_body", "follows"},
		{`{"rows":[` + strings.Repeat(good+",", 200) + good + `]}`, 413, "too_large", "more than 4096 bytes"},
	} {
		status, _, body := send(s, "POST", "/v1/models/flights%2FATL/predict", c.body, "Content-Type", jsonType)
		var f failure
		if err := json.Unmarshal([]byte(body), &f); err != nil || status != c.status || f.Error.Code != c.code || !strings.Contains(f.Error.Message, c.says) {
			t.Errorf("%.60s: %d %s, want %d %s with %q", c.body, status, body, c.status, c.code, c.says)
		}
	}
	for _, row := range []string{good, `{"distance":true,"carrier":"DL","more":[{}]}`, `{"carrier":"AA","distance":-1e-300,"delay":"x"}`, `{"carrier":"AA","distance":1,"more":["\ud83d\ude00","\\ud800"]}`} {
		if status, _, body := send(s, "POST", "/v1/models/flights%2FATL/predict", `{"rows":[`+row+`]}`, "Content-Type", jsonType+"; charset=utf-8"); status != 200 {
			t.Errorf("%s: %d %s", row, status, body)
		}
	}
	if status, _, body := send(s, "POST", "/v1/models/flights%2FATL/predict", "\uFEFF"+`{"rows":[`+good+`]}`, "Content-Type", jsonType); status != 200 {
		t.Errorf("a body behind a byte order mark: %d %s", status, body)
	}
	for _, kind := range []string{"", "text/plain", "application/jsonp", "nonsense;;", jsonType + "; charset=utf-16", jsonType + "; charset=latin1"} {
		if status, _, body := send(s, "POST", "/v1/models/flights%2FATL/predict", "{}", "Content-Type", kind); status != 415 {
			t.Errorf("Content-Type %q: %d %s", kind, status, body)
		}
	}
	if status, _, _ := send(s, "POST", "/v1/models/flights%2FATL/predict", "{}", "Content-Type", jsonType, "Content-Encoding", "gzip"); status != 415 {
		t.Errorf("a compressed body: %d", status)
	}
	if status, _, _ := send(s, "POST", "/v1/models/nobody/predict", `{"rows":[{}]}`, "Content-Type", jsonType); status != 404 {
		t.Errorf("no model: %d", status)
	}
}

func TestPredictArrowRefusals(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Body = 1 << 20 })
	inf, nan := math.Inf(1), math.NaN()
	label := cdf.Column{Name: "carrier", Type: cdf.Text, Code: []int32{0}, Levels: []string{"AA"}}
	number := func(v float64) cdf.Column { return cdf.Column{Name: "distance", Number: []float64{v}} }
	for _, c := range []struct {
		columns []cdf.Column
		status  int
		code    string
	}{
		{[]cdf.Column{number(1), label}, 200, ""},
		{[]cdf.Column{number(nan), label}, 422, "missing_value"},
		{[]cdf.Column{number(inf), label}, 422, "not_finite"},
		{[]cdf.Column{number(-math.MaxFloat64), label}, 422, "not_finite"},
		{[]cdf.Column{number(1)}, 422, "missing_value"},
		{[]cdf.Column{{Name: "distance", Type: cdf.Text, Code: []int32{0}, Levels: []string{"far"}}, label}, 422, "wrong_type"},
		{[]cdf.Column{number(1), {Name: "carrier", Number: []float64{1}}}, 422, "wrong_type"},
		{[]cdf.Column{number(1), {Name: "carrier", Type: cdf.Integer, Number: []float64{1}, Int: []int64{1}}}, 422, "unknown_level"},
	} {
		stream, err := arrow.Encode(&cdf.Batch{Rows: 1, Columns: c.columns})
		if err != nil {
			t.Fatal(err)
		}
		status, _, body := send(s, "POST", "/v1/models/flights%2FATL/predict", string(stream), "Content-Type", arrowType)
		if status != c.status || c.code != "" && errorCode(body) != c.code {
			t.Errorf("%+v: %d %s, want %d %s", c.columns, status, body, c.status, c.code)
		}
	}
	for _, garbage := range []string{"", "garbage", strings.Repeat("\xff", 1000)} {
		if status, _, body := send(s, "POST", "/v1/models/flights%2FATL/predict", garbage, "Content-Type", arrowType); status != 400 || errorCode(body) != "bad_body" {
			t.Errorf("%.10q: %d %s", garbage, status, body)
		}
	}
	if status, _, body := send(s, "POST", "/v1/models/flights%2FATL/predict", ` {"rows":[]}`, "Content-Type", arrowType); status != 400 || !strings.Contains(body, "application/json is that of JSON") {
		t.Errorf("JSON as Arrow: %d %s", status, body)
	}
	if status, _, body := send(s, "POST", "/v1/models/flights%2FATL/predict", strings.Repeat("x", 1<<20+1), "Content-Type", arrowType); status != 413 {
		t.Errorf("too large: %d %s", status, body)
	}
}

// More rows than one request may have are refused before they are all read.
func TestPredictManyRows(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store, o.Body = o.Store.(*shelf), 64<<20 }) //nolint:forcetypeassert // made here
	store.models["flights/ATL"].Rule.Spec.Limits.Rows = 0
	row := `{"distance":1,"carrier":"AA"}`
	for n, want := range map[int]int{maxPredictions: 200, maxPredictions + 1: 413} {
		body := fmt.Sprintf(`{"rows":[%s%s]}`, strings.Repeat(row+",", n-1), row)
		if status, _, answer := send(s, "POST", "/v1/models/"+url.PathEscape("flights/ATL")+"/predict", body, "Content-Type", jsonType); status != want {
			t.Errorf("%d rows: %d %.200s", n, status, answer)
		}
	}
}

// What is finite alone, and not once it is scaled, is refused by its name.
func TestScaledBeyondRange(t *testing.T) {
	in := []cdf.Input{{Name: "x", Role: "feature", Scale: .5}}
	b := &cdf.Batch{Rows: 2, Columns: []cdf.Column{{Name: "x", Number: []float64{1, math.MaxFloat64}}}}
	if err := checkInputs(in, b); err == nil || !strings.Contains(err.Error(), `row 1 (from 0): feature "x" is 1.79`) {
		t.Errorf("%v", err)
	}
	for _, scale := range []float64{math.NaN(), 0, 1} { // not known yet, none, none
		in[0].Scale = scale
		b.Columns[0].Number[0] = 1
		if err := checkInputs(in, b); err != nil {
			t.Errorf("scale %g: %v", scale, err)
		}
		for _, v := range []float64{math.Inf(1), math.Inf(-1)} {
			b.Columns[0].Number[0] = v
			if err := checkInputs(in, b); err == nil || !strings.Contains(err.Error(), `row 0 (from 0): feature "x" is infinite`) {
				t.Errorf("scale %g, %g: %v", scale, v, err)
			}
		}
	}
}
