package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/sink"
)

// of returns the records of a key, in order.
func of(key string, all []pipeline.Record) []pipeline.Record {
	return slices.DeleteFunc(slices.Clone(all), func(r pipeline.Record) bool { return string(r.Key) != key })
}

func header(r *pipeline.Record, key string) string {
	v, _ := r.Header(key)
	return string(v)
}

// posteriorOf reads a message of the output topic in the form it is in.
func posteriorOf(t *testing.T, r *pipeline.Record) *pipeline.Posterior {
	t.Helper()
	read := sink.ParseJSON
	if header(r, "content-type") == arrow.ContentType {
		read = arrow.DecodePosterior
	}
	p, omitted, err := read(r.Value)
	if err != nil || omitted != 0 {
		t.Fatalf("offset %d: %d omitted, %v", r.Offset, omitted, err)
	}
	return p
}

// rowsOf reads a message of the predictions topic: row, mean, sd, q2.5 and
// q97.5 per row, and in JSON the shards that the state had absorbed.
func rowsOf(t *testing.T, r *pipeline.Record) (rows [][5]float64, absorbed int64) {
	t.Helper()
	if header(r, "content-type") == arrow.ContentType {
		b := columnsOf(t, r)
		for i := range b.Rows {
			rows = append(rows, [5]float64{b.Columns[0].Number[i], b.Columns[1].Number[i], b.Columns[2].Number[i], b.Columns[3].Number[i], b.Columns[4].Number[i]})
		}
		return rows, 0
	}
	var v struct {
		T           int64
		Predictions []struct {
			Row, Mean, SD float64
			Q025          float64 `json:"q2.5"`
			Q975          float64 `json:"q97.5"`
		}
	}
	if err := json.Unmarshal(r.Value, &v); err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Predictions {
		rows = append(rows, [5]float64{p.Row, p.Mean, p.SD, p.Q025, p.Q975})
	}
	return rows, v.T
}

// columnsOf reads an Arrow message.
func columnsOf(t *testing.T, r *pipeline.Record) *cdf.Batch {
	t.Helper()
	b, err := arrow.NewDecoder(arrow.Limits{Record: len(r.Value), Rows: 1e6}).Decode(r.Value)
	if err != nil || header(r, "content-type") != arrow.ContentType {
		t.Fatalf("offset %d, %s: %v", r.Offset, header(r, "content-type"), err)
	}
	return b
}

// once is what a topic of outputs or dead letters holds without what came again: where a
// broker's answer is late, a batch may be sent twice, with the same identities and bytes.
func (w *world) once(topic string) []pipeline.Record {
	w.Helper()
	seen := map[string][]byte{}
	return slices.DeleteFunc(w.read(topic), func(r pipeline.Record) bool {
		id := string(r.Key) + " " + header(&r, "ce_source") + " " + header(&r, "ce_id")
		if l, dead := sink.ParseLetter(r.Headers); dead {
			id = fmt.Sprintf("%s %s %d", r.Key, l.Source, l.Offset)
		}
		before, again := seen[id]
		if again && !bytes.Equal(before, r.Value) {
			w.Errorf("%s of %s came twice, as %d and as other %d bytes", id, topic, len(before), len(r.Value))
		}
		seen[id] = r.Value
		return again
	})
}

// part holds the messages of one topic about a key against the shards that
// they are about.
func part(t *testing.T, about string, got, input []pipeline.Record, suffix string) {
	t.Helper()
	if len(got) != len(input) {
		t.Fatalf("%s: %d messages, want %d", about, len(got), len(input))
	}
	for i := range got {
		if id := header(&got[i], "ce_id"); id != fmt.Sprint(input[i].Offset)+suffix || got[i].Time != input[i].Time || header(&got[i], "ce_subject") != string(input[i].Key) {
			t.Errorf("%s %d: ce_id %s, time %d, want offset %d, time %d", about, i, id, got[i].Time, input[i].Offset, input[i].Time)
		}
	}
}

// draws holds the draws of a message against the summary they belong to.
func draws(t *testing.T, r *pipeline.Record, p *pipeline.Posterior, n int) {
	t.Helper()
	b := columnsOf(t, r)
	names := []string{".chain", ".iteration", ".draw"}
	for _, v := range p.Summary.Rows {
		names = append(names, v.Variable)
	}
	for i, c := range b.Columns {
		if len(names) != len(b.Columns) || c.Name != names[i] || b.Rows != n {
			t.Fatalf("t=%d: %d draws of column %d %q, want %d of %q", p.Summary.T, b.Rows, i, c.Name, n, names)
		}
	}
	for i := range n {
		if b.Columns[0].Int[i] != 1 || b.Columns[1].Int[i] != int64(i+1) || b.Columns[2].Int[i] != int64(i+1) {
			t.Fatalf("draw %d is called %d.%d, %d", i, b.Columns[0].Int[i], b.Columns[1].Int[i], b.Columns[2].Int[i])
		}
	}
	// 5 standard errors: the seed is fixed, and none of these is by chance.
	coefficients := b.Columns[3:]
	for i, v := range p.Summary.Rows {
		m, sd, _ := moments(b.Columns[3+i].Number, b.Columns[3+i].Number)
		if se := v.SD / math.Sqrt(float64(n)); !(math.Abs(m-v.Mean) < 5*se) {
			t.Errorf("t=%d %s: draws have mean %g, the summary %g (standard error %g)", p.Summary.T, v.Variable, m, v.Mean, se)
		}
		if ratio := math.Sqrt(sd) / v.SD; !(math.Abs(ratio-1) < 6/math.Sqrt(2*float64(n))) {
			t.Errorf("t=%d %s: sd of the draws is %g times that of the summary", p.Summary.T, v.Variable, ratio)
		}
		if v.Variable == "sigma2" {
			coefficients = coefficients[:i]
		}
	}
	k := 0
	for i := range coefficients {
		for j := range i + 1 {
			if k >= len(p.Summary.Covariance) {
				break
			}
			_, sample, se := moments(coefficients[i].Number, coefficients[j].Number)
			if got := p.Summary.Covariance[k]; !(math.Abs(got-sample) < 6*se) {
				t.Errorf("t=%d: covariance %d is %g, that of the draws %g (standard error %g)", p.Summary.T, k, got, sample, se)
			}
			k++
		}
	}
	if n := len(p.Summary.Covariance); n > 0 && n != k {
		t.Errorf("t=%d: %d covariances, want %d", p.Summary.T, n, k)
	}
}

// moments returns the mean of a, and the covariance of a and b with its
// standard error.
func moments(a, b []float64) (mean, cov, se float64) {
	n, mb := float64(len(a)), 0.
	for i := range a {
		mean += a[i] / n
		mb += b[i] / n
	}
	square := 0.
	for i := range a {
		v := (a[i] - mean) * (b[i] - mb)
		cov += v / n
		square += v * v / n
	}
	return mean, cov, math.Sqrt((square - cov*cov) / n)
}

// TestOnce: what is counted does not depend on how often an output or a letter was sent.
func TestOnce(t *testing.T) {
	w := newWorld(t, "")
	w.send(stateKeys, 2)
	w.records(kgo.Record{Topic: "shards", Key: []byte("b"), Value: []byte("no stream")}, kgo.Record{Topic: "shards", Key: []byte("b"), Value: []byte("no stream")})
	w.must("run", "--until-end")
	for topic, want := range map[string]int{"posteriors": 2 * len(stateKeys), "shards.dead": 2} {
		for _, r := range w.read(topic) {
			again := kgo.Record{Topic: topic, Key: r.Key, Value: r.Value}
			for _, h := range r.Headers {
				again.Headers = append(again.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
			}
			w.records(again)
		}
		if all, n := len(w.read(topic)), len(w.once(topic)); all < 2*want || n != want {
			t.Errorf("%s: %d of %d records, want %d", topic, n, all, want)
		}
	}
}
