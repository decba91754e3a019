package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// posterior returns a posterior of n variables with some of everything.
func posterior(n int) *pipeline.Posterior {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	s := &cdf.Summary{
		T: 12, N: 118, NEff: 117.25, Draws: 500,
		Score:          cdf.Score{Rows: 10, PredictedRows: 1, LogDensity: -1.25, LogEvidence: math.NaN(), RMSE: .5, Coverage95: .9},
		Scaling:        []cdf.Constant{{Column: "distance", Center: 700, Scale: 500}, {Column: "a \"b\"", Center: -1e-9, Scale: 1}},
		PriorDominated: []string{"beta[hour]"},
	}
	if n%2 == 1 {
		s.WeakMixing = []string{"beta[hour]", "sigma2"}
		s.Flags = []string{"worse_than_null"}
	}
	for i := range n {
		r := cdf.Row{Variable: fmt.Sprintf("beta[c%d]", i)}
		if i == n-1 {
			r.Variable = "sigma2"
		}
		for _, v := range []*float64{&r.Mean, &r.SD, &r.Median, &r.Q025, &r.Q05, &r.Q25, &r.Q75, &r.Q95, &r.Q975, &r.MCSEMean} {
			*v = rng.NormFloat64()
		}
		r.ESSBulk, r.ESSTail, r.RHat = math.NaN(), math.NaN(), math.NaN()
		if i%2 == 1 {
			r.ESSBulk, r.ESSTail, r.RHat = 400.5, 300, 1.001
		}
		s.Rows = append(s.Rows, r)
	}
	return &pipeline.Posterior{
		Key: "flights/ORD é", Kind: "linear", Variant: "corrected", Config: "0123456789abcdef",
		Source: pipeline.Partition{Topic: "shards", ID: 3}, Offset: 4711, Time: 1_790_000_000_120, Summary: s,
	}
}

// alike fails the test where a posterior read back is not what was written:
// NaN is NaN, and what is not published is left out.
func alike(t testing.TB, got, want *pipeline.Posterior) {
	t.Helper()
	g, w := fmt.Sprintf("%+v %+v", *got, *got.Summary), fmt.Sprintf("%+v %+v", *want, *want.Summary)
	cut := func(s string) string { // the address of the summary
		i := strings.Index(s, "Summary:")
		return s[:i] + s[i+strings.Index(s[i:], "}"):]
	}
	if cut(g) != cut(w) {
		t.Fatalf("got  %s\nwant %s", g, w)
	}
}

func TestPosteriorReadsBack(t *testing.T) {
	e := NewEncoder()
	for _, n := range []int{0, 1, 2, 7, 8, 9, 300} {
		p := posterior(n)
		value, err := e.Append([]byte("before"), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, omitted, err := DecodePosterior(value[len("before"):])
		if err != nil || omitted != 0 {
			t.Fatalf("%d variables: %d omitted, %v", n, omitted, err)
		}
		want := *p
		want.Time = 0
		alike(t, got, &want)
	}
}

func TestPosteriorIsWhatTheContractSays(t *testing.T) {
	p := posterior(7)
	p.Gaps, p.Outlier = 2, 4321
	p.Summary.Outliers = cdf.Outliers{Rows: 5, T: 11}
	p.Summary.Drops = []cdf.Drop{{Column: "x", Reason: cdf.DropMissing, Rows: 2}}
	p.Summary.Covariance = []float64{1, .5, 2}
	p.Summary.Rows[1].Mean = math.Inf(1)
	value, err := NewEncoder().Append(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(bytes.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	wantNames := []string{"variable", "mean", "sd", "median", "q2.5", "q5", "q25", "q75", "q95", "q97.5", "mcse_mean", "ess_bulk", "ess_tail", "r_hat"}
	var names []string
	for i, f := range r.Schema().Fields() {
		names = append(names, f.Name)
		if want := arrow.BinaryTypes.String; i == 0 && f.Type != want || i > 0 && f.Type != arrow.PrimitiveTypes.Float64 {
			t.Errorf("%s is %v", f.Name, f.Type)
		}
	}
	if !slices.Equal(names, wantNames) {
		t.Errorf("columns %v", names)
	}
	md := r.Schema().Metadata()
	want := [][2]string{
		{"credence.format", "2"}, {"credence.key", "flights/ORD é"}, {"credence.kind", "linear"}, {"credence.variant", "corrected"}, {"credence.t", "12"}, {"credence.n", "118"},
		{"credence.topic", "shards"}, {"credence.partition", "3"}, {"credence.offset", "4711"}, {"credence.config", "0123456789abcdef"},
		{"credence.draws", "500"}, {"credence.n_eff", "117.25"},
		{"credence.scaling", `{"distance":{"center":700,"scale":500},"a \"b\"":{"center":-1e-9,"scale":1}}`},
		{"credence.prior_dominated", `["beta[hour]"]`}, {"credence.weak_mixing", `["beta[hour]","sigma2"]`}, {"credence.flags", `["worse_than_null"]`},
		{"credence.outliers.rows", "5"}, {"credence.outliers.t", "11"}, {"credence.outliers.offset", "4321"},
		{"credence.dropped", `[{"column":"x","reason":"missing","rows":2}]`},
		{"credence.score.rows", "10"}, {"credence.score.predicted_rows", "1"}, {"credence.score.log_density", "-1.25"},
		{"credence.score.rmse", "0.5"}, {"credence.score.coverage95", "0.9"},
		{"credence.covariance", "[1,0.5,2]"}, {"credence.gaps", "2"},
	}
	if md.Len() != len(want) {
		t.Errorf("metadata %v", md)
	}
	for i, kv := range want {
		if i < md.Len() && (md.Keys()[i] != kv[0] || md.Values()[i] != kv[1]) {
			t.Errorf("metadata %d: %s = %s, want %v", i, md.Keys()[i], md.Values()[i], kv)
		}
	}
	if !r.Next() {
		t.Fatal(r.Err())
	}
	rec := r.Record()
	for i, row := range p.Summary.Rows {
		if got := rec.Column(0).(*array.String).Value(i); got != row.Variable {
			t.Errorf("row %d is %q", i, got)
		}
		for c, v := range numbers(&row) {
			col := rec.Column(c + 1).(*array.Float64)
			if col.IsNull(i) != !jsontext.Defined(v) || col.IsValid(i) && col.Value(i) != v {
				t.Errorf("row %d %s: %v (null %t), want %v", i, names[c+1], col.Value(i), col.IsNull(i), v)
			}
		}
	}
	if r.Next() || r.Err() != nil {
		t.Errorf("a second batch, or %v", r.Err())
	}
}

// Centre and scale are left out where they are known, and only there; draws
// have them always.
func TestSettledPosterior(t *testing.T) {
	p := posterior(4)
	whole := encoded(t, p)
	p.Settled = true
	value := encoded(t, p)
	got, _, err := DecodePosterior(value)
	if err != nil || !got.Settled || got.Summary.Scaling != nil || len(value) >= len(whole)-100 {
		t.Errorf("%d bytes, %d with constants, settled %t, %v, %v", len(value), len(whole), got.Settled, got.Summary.Scaling, err)
	}
	draws, err := AppendDraws(nil, p, []string{"a"}, &cdf.Draws{S: 1, Chains: 1, Data: []float64{1}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if meta, _ := metadata(draws); meta["credence.scaling"] == "" {
		t.Error("draws without constants")
	}
	// Before there was a version all messages had them; of later ones nothing is known.
	old := bytes.Replace(whole, []byte("credence.format"), []byte("credence.fromat"), 1)
	want := *p
	want.Time, want.Settled = 0, false
	if got, _, err = DecodePosterior(old); err != nil {
		t.Fatal(err)
	}
	alike(t, got, &want)
	at := bytes.Index(whole, []byte("credence.format")) + len("credence.format\x00\x01\x00\x00\x00")
	whole[at] = '3'
	if _, _, err = DecodePosterior(whole); !errors.Is(err, pipeline.ErrDecode) || !strings.Contains(err.Error(), `format "3"`) {
		t.Errorf("format 3: %v", err)
	}
}

func TestSamePosteriorSameBytes(t *testing.T) {
	p := posterior(9)
	e := NewEncoder()
	first, err := e.Append(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	dirty := bytes.Repeat([]byte{0xee}, 3*len(first))
	again, err := NewEncoder().Append(dirty[:0], p, 0)
	if err != nil || !bytes.Equal(first, again) {
		t.Fatalf("other bytes in a used buffer (%v)", err)
	}
}

func TestPosteriorBeyondTheLimit(t *testing.T) {
	p := posterior(60)
	e := NewEncoder()
	whole, err := e.Append(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if at, _ := e.Append(nil, p, len(whole)); !bytes.Equal(at, whole) {
		t.Error("a posterior that just fits was changed")
	}
	before := 60
	for limit := len(whole) - 1; limit > 0; limit -= 97 {
		value, err := e.Append([]byte("xy"), p, limit)
		if err != nil {
			t.Fatal(err)
		}
		value = value[2:]
		got, omitted, err := DecodePosterior(value)
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		n := len(got.Summary.Rows)
		if n+omitted != 60 || n >= 60 || n > before || len(value) > limit && n > 0 {
			t.Fatalf("limit %d: %d bytes, %d variables, %d omitted", limit, len(value), n, omitted)
		}
		if n > 0 && got.Summary.Rows[n-1].Variable != p.Summary.Rows[n-1].Variable {
			t.Fatalf("limit %d: variable %d is %q", limit, n-1, got.Summary.Rows[n-1].Variable)
		}
		before = n
	}
	if before != 0 {
		t.Errorf("%d variables in no room", before)
	}
	p.Summary.Covariance = make([]float64, 2000)
	value, err := e.Append(nil, p, len(whole))
	if err != nil || !bytes.Equal(value, whole) {
		t.Errorf("the covariance did not go first (%v)", err)
	}
}

func TestEncodeAllocatesNothing(t *testing.T) {
	p := posterior(7)
	e := NewEncoder()
	dst, _ := e.Append(nil, p, 0)
	if n := testing.AllocsPerRun(50, func() { dst, _ = e.Append(dst[:0], p, 16<<20) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestNotAPosterior(t *testing.T) {
	shard, err := Encode(&cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{1}}}})
	if err != nil {
		t.Fatal(err)
	}
	value, err := NewEncoder().Append(nil, posterior(3), 0)
	if err != nil {
		t.Fatal(err)
	}
	wrong := bytes.Replace(value, []byte("4711"), []byte("47x1"), 1)
	for name, v := range map[string][]byte{"a shard": shard, "text": []byte("{}"), "nothing": nil, "cut": value[:len(value)-20], "offset": wrong} {
		if _, _, err := DecodePosterior(v); !errors.Is(err, pipeline.ErrDecode) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDraws(t *testing.T) {
	p := posterior(2)
	names := []string{"beta[a]", "sigma2"}
	d := &cdf.Draws{S: 6, Chains: 2, Data: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}
	value, err := AppendDraws(nil, p, names, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := &cdf.Batch{Rows: 6, Columns: []cdf.Column{
		{Name: ".chain", Type: cdf.Integer, Number: []float64{1, 1, 1, 2, 2, 2}, Int: []int64{1, 1, 1, 2, 2, 2}},
		{Name: ".iteration", Type: cdf.Integer, Number: []float64{1, 2, 3, 1, 2, 3}, Int: []int64{1, 2, 3, 1, 2, 3}},
		{Name: ".draw", Type: cdf.Integer, Number: []float64{1, 2, 3, 4, 5, 6}, Int: []int64{1, 2, 3, 4, 5, 6}},
		{Name: "beta[a]", Number: []float64{1, 2, 3, 4, 5, 6}},
		{Name: "sigma2", Number: []float64{7, 8, 9, 10, 11, 12}},
	}}
	same(t, "draws", library(t, value), want)
	meta, _ := metadata(value)
	if meta["credence.key"] != p.Key || meta["credence.offset"] != "4711" || meta["credence.draws"] != "6" || p.Summary.Draws != 500 {
		t.Errorf("metadata %v", meta)
	}
	short, err := AppendDraws(nil, p, names, d, len(value)-1)
	if err != nil || len(short) >= len(value) {
		t.Fatalf("%d bytes of %d, %v", len(short), len(value), err)
	}
	want.Columns = want.Columns[:4]
	same(t, "limited draws", library(t, short), want)
	if meta, _ := metadata(short); meta["credence.omitted"] != "1" {
		t.Errorf("omitted: %q", meta["credence.omitted"])
	}
	if _, err := AppendDraws(nil, p, names[:1], d, 0); err == nil {
		t.Error("one name for two variables")
	}
}

func TestShardsReadBack(t *testing.T) {
	nan := math.NaN()
	b := &cdf.Batch{Rows: 3, Columns: []cdf.Column{
		{Name: "f", Type: cdf.Float, Number: []float64{1.5, nan, -2}},
		{Name: "i", Type: cdf.Integer, Number: []float64{1 << 53, nan, -3}, Int: []int64{1<<53 + 1, 0, -3}},
		{Name: "plain", Type: cdf.Integer, Int: []int64{7, 8, 9}},
		{Name: "b", Type: cdf.Bool, Number: []float64{1, 0, nan}},
		{Name: "t", Type: cdf.Time, Number: []float64{978352200.25, nan, -.5}},
		{Name: "s", Type: cdf.Text, Code: []int32{1, -1, 0}, Levels: []string{"b", "a"}},
	}}
	value, err := Encode(b)
	if err != nil {
		t.Fatal(err)
	}
	want := &cdf.Batch{Rows: 3, Columns: slices.Clone(b.Columns)}
	want.Columns[2].Number = []float64{7, 8, 9}
	want.Columns[5].Code, want.Columns[5].Levels = []int32{0, -1, 1}, []string{"a", "b"}
	got, err := NewDecoder(Limits{}).Decode(value)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "own reader", got, want)
	if meta, ok := metadata(value); !ok || len(meta) > 0 {
		t.Errorf("metadata %v, readable %t", meta, ok) // readers that verify refuse an empty offset
	}
	same(t, "library", library(t, value), want)
	if !reflect.DeepEqual(got.Columns[5].Levels, []string{"a", "b"}) {
		t.Errorf("levels %q", got.Columns[5].Levels)
	}

	// The same, long enough for a dictionary.
	long := &cdf.Batch{Rows: 100, Columns: []cdf.Column{{Name: "s", Type: cdf.Text, Code: make([]int32, 100), Levels: []string{"x", "unused", "y"}}}}
	for i := range long.Columns[0].Code {
		long.Columns[0].Code[i] = []int32{0, -1, 2, 2}[i%4]
	}
	if value, err = Encode(long); err != nil {
		t.Fatal(err)
	}
	if got, err = NewDecoder(Limits{}).Decode(value); err != nil {
		t.Fatal(err)
	}
	same(t, "dictionary", got, library(t, value))
	if want := []string{"x", "y"}; !slices.Equal(got.Columns[0].Levels, want) {
		t.Errorf("levels %q", got.Columns[0].Levels)
	}
}

func TestShardsThatCannotBeWritten(t *testing.T) {
	for name, c := range map[string]cdf.Column{
		"short":            {Name: "x", Number: []float64{1}},
		"int without rows": {Name: "x", Type: cdf.Integer, Number: []float64{1, 2}, Int: []int64{1}},
		"code":             {Name: "x", Type: cdf.Text, Code: []int32{0, 1}, Levels: []string{"a"}},
		"time":             {Name: "x", Type: cdf.Time, Number: []float64{0, 1e300}},
	} {
		if _, err := Encode(&cdf.Batch{Rows: 2, Columns: []cdf.Column{c}}); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}
