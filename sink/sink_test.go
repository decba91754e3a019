package sink

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// posterior returns a posterior of n variables with random numbers, some of
// them undefined, and random names.
func posterior(rng *rand.Rand, n int) *pipeline.Posterior {
	number := func() float64 {
		switch rng.IntN(6) {
		case 0:
			return math.NaN()
		case 1:
			return math.Float64frombits(rng.Uint64())
		case 2:
			return float64(rng.IntN(10))
		}
		return rng.NormFloat64()
	}
	name := func() string {
		return []string{"distance", "a\"b\\", "é", "c=<AA>", "\n\t", "漢字", ""}[rng.IntN(7)]
	}
	s := &cdf.Summary{
		T: rng.Int64N(100), N: rng.Int64N(1e6), NEff: number(), Draws: rng.IntN(500),
		Score: cdf.Score{Rows: rng.Int64N(50), PredictedRows: rng.Int64N(5), LogDensity: number(), LogEvidence: number(), RMSE: number(), Coverage95: number()},
	}
	settled := rng.IntN(4) == 0
	for range rng.IntN(3) {
		if settled {
			break
		}
		s.Scaling = append(s.Scaling, cdf.Constant{Column: name(), Center: number(), Scale: number()})
	}
	for range rng.IntN(3) {
		s.PriorDominated = append(s.PriorDominated, name())
	}
	for range rng.IntN(3) {
		s.WeakMixing = append(s.WeakMixing, name())
	}
	for range rng.IntN(3) {
		s.Flags = append(s.Flags, name())
	}
	outlier := int64(0)
	if rng.IntN(3) == 0 {
		s.Outliers, outlier = cdf.Outliers{Rows: 1 + rng.Int64N(9), T: 1 + rng.Int64N(99)}, rng.Int64()
		s.Drops = []cdf.Drop{{Column: "a \"b\"", Reason: cdf.DropUnlisted, Rows: 1 + rng.Int64N(9)}, {Column: "x", Reason: cdf.DropMissing, Rows: 2}}
	}
	for range n {
		r := cdf.Row{Variable: "beta[" + name() + "]"}
		v := reflect.ValueOf(&r).Elem()
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Float64 {
				v.Field(i).SetFloat(number())
			}
		}
		s.Rows = append(s.Rows, r)
	}
	for i := range rng.IntN(4) {
		q := quantity.Told{Name: fmt.Sprint("q", i), Kind: quantity.KindForm}
		if i >= n || rng.IntN(2) == 0 {
			q.Absent = "no " + name()
		}
		s.Quantities = append(s.Quantities, q)
	}
	if rng.IntN(3) == 0 {
		s.Covariance = []float64{number(), 1, number()}
	}
	var alerts []string
	for range rng.IntN(3) {
		alerts = append(alerts, "a"+name())
	}
	return &pipeline.Posterior{
		Alerts: alerts,
		Key:    "k" + name(), Kind: "linear", Variant: "corrected", Config: "0123456789abcdef",
		Source: pipeline.Partition{Topic: "shards", ID: 2}, Offset: rng.Int64(), Time: 1 + rng.Int64N(2e12), Gaps: rng.IntN(2), Outlier: outlier, Summary: s,
		Settled: settled,
	}
}

// text prints a posterior so that undefined numbers are alike.
func text(p *pipeline.Posterior) string {
	s := *p.Summary
	q := *p
	q.Summary = nil
	if s.Scaling == nil {
		s.Scaling = []cdf.Constant{}
	}
	if s.PriorDominated == nil {
		s.PriorDominated = []string{}
	}
	return strings.NewReplacer("+Inf", "NaN", "-Inf", "NaN").Replace(fmt.Sprintf("%+v %+v", q, s))
}

func TestArrowAndJSONSayTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	encoder := arrow.NewEncoder()
	for round := range 500 {
		p := posterior(rng, rng.IntN(20))
		a, err := encoder.Append(nil, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		j, err := JSON{}.Append(nil, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		fromArrow, n, err := arrow.DecodePosterior(a)
		if err != nil || n != 0 {
			t.Fatalf("round %d: %d omitted, %v", round, n, err)
		}
		fromJSON, n, err := ParseJSON(j)
		if err != nil || n != 0 {
			t.Fatalf("round %d: %d omitted, %v\n%s", round, n, err, j)
		}
		fromArrow.Time = p.Time // it rides on the message
		if got, want := text(fromArrow), text(p); got != want {
			t.Fatalf("round %d, arrow:\n%s\n%s", round, got, want)
		}
		if got, want := text(fromJSON), text(p); got != want {
			t.Fatalf("round %d, json:\n%s\n%s", round, got, want)
		}
		if again := AppendJSON(nil, fromArrow, 0); !bytes.Equal(again, j) {
			t.Fatalf("round %d: arrow to json\n%s\n%s", round, again, j)
		}
	}
}

func TestJSONIsWhatTheContractSays(t *testing.T) {
	nan := math.NaN()
	p := &pipeline.Posterior{
		Key: "flights/ORD", Kind: "linear", Variant: "corrected", Config: "0123456789abcdef",
		Source: pipeline.Partition{Topic: "shards", ID: 3}, Offset: 42, Time: 1_600_000_000_007, Outlier: 41,
		Summary: &cdf.Summary{
			T: 1, N: 10, NEff: 10, Draws: 500,
			Score:          cdf.Score{Rows: 10, LogDensity: -1.5, LogEvidence: nan, RMSE: 1e-7, Coverage95: .9},
			Scaling:        []cdf.Constant{{Column: "d", Center: 1, Scale: 2.5}},
			PriorDominated: []string{"tau2"},
			WeakMixing:     []string{"mu", "tau2"},
			Flags:          []string{"worse_than_null"},
			Outliers:       cdf.Outliers{Rows: 3, T: 1},
			Rows:           []cdf.Row{{Variable: "beta[d]", Mean: 1, SD: 2, Median: 3, Q025: 4, Q05: 5, Q25: 6, Q75: 7, Q95: 8, Q975: 1e21, MCSEMean: 0, ESSBulk: nan, ESSTail: nan, RHat: nan}},
		},
	}
	want := `{"key":"flights/ORD","kind":"linear","variant":"corrected","t":1,"n":10,"draws":500,"config":"0123456789abcdef",` +
		`"source":{"topic":"shards","partition":3,"offset":42},"time":"2020-09-13T12:26:40.007Z","n_eff":10,"scaling":{"d":{"center":1,"scale":2.5}},` +
		`"prior_dominated":["tau2"],"weak_mixing":["mu","tau2"],"flags":["worse_than_null"],"outliers":{"rows":3,"t":1,"offset":41},"score":{"rows":10,"predicted_rows":0,"log_density":-1.5,"log_evidence":null,"rmse":1e-7,"coverage95":0.9},` +
		`"posterior":[{"variable":"beta[d]","mean":1,"sd":2,"median":3,"q2.5":4,"q5":5,"q25":6,"q75":7,"q95":8,"q97.5":1e+21,"mcse_mean":0,` +
		`"ess_bulk":null,"ess_tail":null,"r_hat":null}]`
	for _, c := range []struct {
		gaps       int
		covariance []float64
		tail       string
	}{{0, nil, "}"}, {2, nil, `,"gaps":2}`}, {0, []float64{1, .5, 2}, `,"covariance":[1,0.5,2]}`}} {
		p.Gaps, p.Summary.Covariance = c.gaps, c.covariance
		got, err := JSON{}.Append([]byte("x"), p, 0)
		if err != nil || string(got) != "x"+want+c.tail {
			t.Errorf("%v\n got %s\nwant %s", err, got[1:], want+c.tail)
		}
	}
}

func TestJSONBeyondTheLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	p := posterior(rng, 40)
	p.Summary.Covariance, p.Gaps = nil, 3
	whole, err := JSON{}.Append(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := (JSON{}).Append(nil, p, len(whole)); !bytes.Equal(got, whole) {
		t.Error("a posterior that just fits was changed")
	}
	before := 40
	for limit := len(whole) - 1; limit > 0; limit -= 61 {
		value, err := JSON{}.Append([]byte("xy"), p, limit)
		if err != nil {
			t.Fatal(err)
		}
		value = value[2:]
		got, omitted, err := ParseJSON(value)
		if err != nil {
			t.Fatalf("limit %d: %v\n%s", limit, err, value)
		}
		n := len(got.Summary.Rows)
		if n+omitted != 40 || n > before || omitted == 0 || len(value) > limit && n > 0 {
			t.Fatalf("limit %d: %d bytes, %d variables, %d omitted", limit, len(value), n, omitted)
		}
		if again := AppendJSON(nil, got, omitted); !bytes.Equal(again, value) {
			t.Fatalf("limit %d: read and written\n%s\n%s", limit, again, value)
		}
		before = n
	}
	if before != 0 {
		t.Errorf("%d variables in no room", before)
	}
	p.Summary.Covariance = make([]float64, 1000)
	if got, _ := (JSON{}).Append(nil, p, len(whole)); !bytes.Equal(got, whole) {
		t.Error("the covariance did not go first")
	}
}

func TestNotAPosterior(t *testing.T) {
	for _, v := range []string{"", "{", "[]", "{}", `{"key":"a"}`, `{"key":1,"kind":"linear"}`, `{"key":"a","kind":"linear","time":"now"}`, "ARROW1"} {
		if _, _, err := ParseJSON([]byte(v)); !errors.Is(err, pipeline.ErrDecode) {
			t.Errorf("%s: %v", v, err)
		}
	}
}

// headers prints headers one per line.
func headers(o pipeline.Output) string {
	var b strings.Builder
	for _, h := range o.Headers {
		fmt.Fprintf(&b, "%s=%s\n", h.Key, h.Value)
	}
	return b.String()
}

func TestRecordOfAPosterior(t *testing.T) {
	p := posterior(rand.New(rand.NewPCG(1, 1)), 3)
	p.Key, p.Offset, p.Time = "flights/ORD", 42, 1_600_000_000_120
	topic := Topic{Group: "credence", Output: "posteriors", Encoder: JSON{}, Limit: 1 << 20}
	value, err := JSON{}.Append(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := `content-type=application/json
ce_specversion=1.0
ce_type=dev.credence.posterior.v1
ce_source=/credence/shards/2
ce_id=42
ce_subject=flights/ORD
ce_time=2020-09-13T12:26:40.120Z
`
	for _, dst := range [][]byte{nil, []byte("kept"), make([]byte, 0, 1<<16)} {
		o, err := topic.Posterior(dst, p, Trace{})
		if err != nil {
			t.Fatal(err)
		}
		if o.Topic != "posteriors" || string(o.Key) != "flights/ORD" || o.Time != p.Time || o.Offset != 42 || !bytes.Equal(o.Value, value) {
			t.Errorf("got %+v", o)
		}
		if got := headers(o); got != want {
			t.Errorf("got %s", got)
		}
		// The parts share memory; none may grow into the next.
		_ = append(o.Value, "overwritten"...)
		_ = append(o.Key, "overwritten"...)
		if got := headers(o); got != want || string(o.Key) != "flights/ORD" {
			t.Errorf("parts overlap: %s", got)
		}
	}
	o, err := topic.Posterior(nil, p, Trace{Parent: []byte("00-abc-def-01"), State: []byte("a=b")})
	if err != nil || headers(o) != want+"traceparent=00-abc-def-01\ntracestate=a=b\n" {
		t.Errorf("%v %s", err, headers(o))
	}
	p.Time = 0
	if o, err = topic.Posterior(nil, p, Trace{}); err != nil || o.Time != 1 || !strings.Contains(headers(o), "ce_time=1970-01-01T00:00:00.001Z\n") {
		t.Errorf("no timestamp: %d, %s", o.Time, headers(o))
	}
	p.Time = 1_600_000_000_120
	d := topic.Draws([]byte("v"), "application/vnd.apache.arrow.stream", p, Trace{})
	if d.Topic != "posteriors.draws" || headers(d) != strings.NewReplacer("application/json", "application/vnd.apache.arrow.stream", "ce_id=42", "ce_id=42/draws").Replace(want) || string(d.Value) != "v" {
		t.Errorf("draws: %s %s", d.Topic, headers(d))
	}
}

func TestTombstone(t *testing.T) {
	topic := Topic{Group: "g", Output: "posteriors", Encoder: JSON{}}
	o := topic.Tombstone("a", pipeline.Partition{Topic: "in", ID: 7}, 9, -1, Trace{Parent: []byte("t")})
	want := `ce_specversion=1.0
ce_type=dev.credence.posterior.v1
ce_source=/g/in/7
ce_id=9
ce_subject=a
ce_time=1970-01-01T00:00:00.001Z
traceparent=t
`
	if o.Value != nil || string(o.Key) != "a" || o.Time != 1 || o.Offset != 9 || headers(o) != want {
		t.Errorf("%+v\n%s", o, headers(o))
	}
}

func TestDeadLetterKeepsTheRecord(t *testing.T) {
	src := pipeline.Partition{Topic: "shards", ID: 1}
	r := &pipeline.Record{
		Offset: 99, Time: 1234, Key: []byte{0xff}, Value: []byte("not arrow"),
		Headers: []pipeline.Header{{Key: "a", Value: nil}, {Key: "a", Value: []byte{1}}, {Key: "credence-shard", Value: []byte("r/1")}},
	}
	d := DeadLetters{Topic: "shards.dead"}
	o := d.Output(src, r, "decode", "decode: truncated message")
	if o.Topic != "shards.dead" || !bytes.Equal(o.Key, r.Key) || !bytes.Equal(o.Value, r.Value) || o.Time != 1234 || o.Offset != 99 {
		t.Errorf("got %+v", o)
	}
	if !reflect.DeepEqual(o.Headers[:3], r.Headers) {
		t.Errorf("headers %v", o.Headers)
	}
	o.Headers = o.Headers[3:]
	want := `__connect.errors.topic=shards
__connect.errors.partition=1
__connect.errors.offset=99
__connect.errors.stage=decode
__connect.errors.exception.class.name=dev.credence.DecodeException
__connect.errors.exception.message=decode: truncated message
`
	if got := headers(o); got != want {
		t.Errorf("got %s", got)
	}
	// Dead again after a replay: what it was stays, ours comes last.
	first := d.Output(src, r, "schema", "x")
	again := d.Output(src, &pipeline.Record{Offset: 120, Headers: first.Headers}, "check", strings.Repeat("é", maxMessage))
	if len(again.Headers) != 15 || !reflect.DeepEqual(again.Headers[:9], first.Headers) || again.Key != nil || again.Value != nil || again.Time != 1 {
		t.Errorf("again: %+v", again)
	}
	l, ok := ParseLetter(again.Headers)
	if !ok || l.Source != src || l.Offset != 120 || l.Stage != "check" || l.Class != "dev.credence.CheckException" || len(l.Message) != maxMessage {
		t.Errorf("parsed %t %+v", ok, l)
	}
	if l, ok = ParseLetter(l.Headers); !ok || l.Offset != 99 || !reflect.DeepEqual(l.Headers, r.Headers) {
		t.Errorf("parsed %t %+v", ok, l)
	}
	if _, ok = ParseLetter(r.Headers); ok {
		t.Error("a record that never died is a letter")
	}
	if _, ok = ParseLetter(slices.Concat(o.Headers, r.Headers)); ok {
		t.Error("headers that are not the last are a letter's")
	}
}

func TestOutputsOfALane(t *testing.T) {
	p := posterior(rand.New(rand.NewPCG(1, 5)), 3)
	o := NewOutputs(Topic{Group: "g", Output: "out", Encoder: arrow.NewEncoder()}, DeadLetters{Topic: "dead"}, nil)
	r := &pipeline.Record{Offset: 5, Key: []byte("k"), Time: 77, Headers: []pipeline.Header{{Key: "traceparent", Value: []byte(aParent)}, {Key: "tracestate", Value: []byte("a=b")}}}
	var first []pipeline.Output
	for range 3 {
		outs, err := o.Posterior(nil, nil, p, nil, r)
		if err != nil || len(outs) != 1 {
			t.Fatalf("%d outputs, %v", len(outs), err)
		}
		if first == nil {
			first = outs
		}
		if !reflect.DeepEqual(outs, first) {
			t.Error("not the same record twice")
		}
	}
	if !strings.HasSuffix(headers(first[0]), "traceparent="+aParent+"\ntracestate=a=b\n") {
		t.Errorf("got %s", headers(first[0]))
	}
	if d := o.Dead(p.Source, r, pipeline.StageCheck, "no rows"); d.Topic != "dead" || !strings.Contains(headers(d), "CheckException") {
		t.Errorf("dead letter %+v", d)
	}
	if d := o.Tombstone(p.Source, r); d.Topic != "out" || d.Value != nil || string(d.Key) != "k" || d.Time != 77 || !strings.HasSuffix(headers(d), "traceparent="+aParent+"\ntracestate=a=b\n") {
		t.Errorf("tombstone %+v", d)
	}
}

// TestHeadersOfALane: headers of a lane's records share memory, and each record has its own.
func TestHeadersOfALane(t *testing.T) {
	topic := Topic{Group: "g", Output: "out", Encoder: JSON{}}
	o := NewOutputs(topic, DeadLetters{}, nil)
	p := posterior(rand.New(rand.NewPCG(1, 5)), 3)
	var got, want []pipeline.Output
	for i := range int64(3 * roomHeaders / 7) {
		r := &pipeline.Record{Offset: i}
		if i%5 == 0 {
			r.Headers = []pipeline.Header{{Key: "traceparent", Value: []byte(aParent)}}
		}
		p.Offset = i
		var err error
		if got, err = o.Posterior(got, nil, p, nil, r); err != nil {
			t.Fatal(err)
		}
		own, err := topic.Posterior(nil, p, TraceOf(r))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, own)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("records of a lane are not those that have memory of their own")
	}
	for i := range got {
		if h := got[i].Headers; len(h) != cap(h) {
			t.Fatalf("record %d: %d headers in the room of %d", i, len(h), cap(h))
		}
	}
}

func TestAllocations(t *testing.T) {
	p := posterior(rand.New(rand.NewPCG(3, 3)), 7)
	var dst []byte
	if n := testing.AllocsPerRun(50, func() { dst, _ = JSON{}.Append(dst[:0], p, 16<<20) }); n != 0 {
		t.Errorf("json: %v allocations", n)
	}
	topic := Topic{Group: "g", Output: "out", Encoder: JSON{}}
	if n := testing.AllocsPerRun(50, func() { _, _ = topic.Posterior(dst[:0], p, Trace{}) }); n > 1 {
		t.Errorf("record: %v allocations", n)
	}
}

func BenchmarkJSON(b *testing.B) {
	p := posterior(rand.New(rand.NewPCG(3, 4)), 7)
	b.Run("own", func(b *testing.B) {
		var dst []byte
		b.ReportAllocs()
		for b.Loop() {
			dst, _ = JSON{}.Append(dst[:0], p, 16<<20)
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		value, err := JSON{}.Append(nil, p, 0)
		if err != nil {
			b.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
