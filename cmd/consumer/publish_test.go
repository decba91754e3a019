package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/rewind"
)

// publishing asks for everything that can be published, each key for
// something else.
const publishing = `models:
  - {match: drawn, kind: linear, draws: 4000, publish: {draws: true, covariance: true, predictions: all}}
  - {match: some, kind: linear, publish: {draws: true, covariance: true, variables: ["beta[x*]", "s*2"]}}
  - {match: third, kind: linear, publish: {every: 3, draws: true, predictions: null_rows}}
  - {match: scaled, kind: linear, publish: {scale: model, covariance: true, predictions: all}}
  - {match: plain, kind: linear}
limits: {summary: 40MiB}`

var publishingKeys = []string{"drawn", "some", "third", "scaled", "plain"}

// Of every shard of publishingShards, this row has no response and this one
// is not usable.
const noResponse, unusable = 4, 7

// publishingShards returns shards of 20 rows.
func publishingShards(n int) []*cdf.Batch {
	rng := rand.New(rand.NewPCG(11, 12))
	shards := make([]*cdf.Batch, n)
	for i := range shards {
		x1, x2, y := make([]float64, 20), make([]float64, 20), make([]float64, 20)
		for j := range y {
			x1[j], x2[j] = 100+15*rng.NormFloat64(), rng.Float64()
			y[j] = 50 + .2*x1[j] - 7*x2[j] + 3*rng.NormFloat64()
		}
		y[noResponse], x1[unusable] = math.NaN(), math.NaN()
		shards[i] = &cdf.Batch{Rows: 20, Columns: []cdf.Column{{Name: "x1", Number: x1}, {Name: "x2", Number: x2}, {Name: "y", Number: y}}}
	}
	return shards
}

// Everything that publish can ask for arrives, in both formats.
func TestWhatPublishAsksFor(t *testing.T) {
	for _, format := range []string{"arrow", "json"} {
		t.Run(format, func(t *testing.T) {
			w := newWorldOf(t, "format: "+format, publishing)
			shards := publishingShards(7)
			w.sendShards(publishingKeys, shards)
			if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
				t.Fatalf("run: exit %d\n%s", code, messages)
			}
			input, output := w.read("shards"), w.once("posteriors")
			drawn, rows := w.once("posteriors.draws"), w.once("posteriors.predictions")
			if n := len(drawn); n != 7+7+2 {
				t.Errorf("%d messages with draws", n)
			}
			if n := len(rows); n != 6+6+6 {
				t.Errorf("%d messages with predictions", n)
			}
			for _, r := range slices.Concat(output, rows) {
				if kind := header(&r, "content-type"); (kind == "application/json") != (format == "json") {
					t.Fatalf("%s in format %s", kind, format)
				}
			}
			summary := map[string][]*pipeline.Posterior{}
			for _, key := range publishingKeys {
				shards := of(key, input)
				if key == "third" {
					shards = []pipeline.Record{shards[2], shards[5]}
				}
				part(t, key, of(key, output), shards, "")
				for _, r := range of(key, output) {
					summary[key] = append(summary[key], posteriorOf(t, &r))
				}
			}

			t.Run("draws", func(t *testing.T) {
				for key, n := range map[string]int{"drawn": 4000, "some": 500, "third": 500} {
					shards := of(key, input)
					if key == "third" {
						shards = []pipeline.Record{shards[2], shards[5]}
					}
					part(t, key, of(key, drawn), shards, "/draws")
					for i, r := range of(key, drawn) {
						if i >= len(summary[key])-2 { // sds of few rows have heavy tails
							draws(t, &r, summary[key][i], n)
						}
					}
				}
			})
			t.Run("covariance", func(t *testing.T) {
				for key, betas := range map[string]int{"drawn": 3, "some": 2, "scaled": 3, "plain": 0} {
					s := summary[key][6].Summary
					if n := betas * (betas + 1) / 2; len(s.Covariance) != n {
						t.Fatalf("%s: %d covariances, want %d", key, len(s.Covariance), n)
					}
					for i := range betas {
						got, want := s.Covariance[i*(i+3)/2], s.Rows[i].SD*s.Rows[i].SD
						if !(math.Abs(got/want-1) < 1e-6) {
							t.Errorf("%s: variance of %s is %g, its sd squared %g", key, s.Rows[i].Variable, got, want)
						}
					}
				}
			})
			t.Run("variables", func(t *testing.T) {
				for key, want := range map[string][]string{"plain": {"beta[intercept]", "beta[x1]", "beta[x2]", "sigma2"}, "some": {"beta[x1]", "beta[x2]", "sigma2"}} {
					for _, p := range summary[key] {
						var names []string
						for _, r := range p.Summary.Rows {
							names = append(names, r.Variable)
						}
						if !slices.Equal(names, want) {
							t.Errorf("%s: %q", key, names)
						}
					}
				}
			})
			t.Run("scale", func(t *testing.T) { scales(t, summary["scaled"], summary["plain"]) })
			t.Run("predictions", func(t *testing.T) {
				all := make([]int, 0, 19)
				for i := range 20 {
					if i != unusable {
						all = append(all, i)
					}
				}
				for key, want := range map[string][]int{"drawn": all, "scaled": all, "third": {noResponse}} {
					part(t, key, of(key, rows), of(key, input)[1:], "/predictions")
					predictions(t, w.config(), key, of(key, rows), shards, want)
				}
			})
			t.Run("topics", func(t *testing.T) { publishedTopics(t, w) })
		})
	}
}

// scales holds summaries in the model's units against those in original ones.
func scales(t *testing.T, scaled, plain []*pipeline.Posterior) {
	t.Helper()
	for i, p := range scaled {
		unit := map[string]cdf.Constant{}
		for _, c := range p.Summary.Scaling {
			unit[c.Column] = c
		}
		y := unit["y"]
		want := map[string][2]float64{} // mean and sd in original units; the intercept takes the centres up
		intercept := y.Center
		for _, r := range p.Summary.Rows {
			switch r.Variable {
			case "sigma2":
				want[r.Variable] = [2]float64{y.Scale * y.Scale * r.Mean, y.Scale * y.Scale * r.SD}
			case "beta[intercept]":
				intercept += y.Scale * r.Mean
			default:
				x := unit[r.Variable[len("beta["):len(r.Variable)-1]]
				want[r.Variable] = [2]float64{y.Scale / x.Scale * r.Mean, y.Scale / x.Scale * r.SD}
				intercept -= x.Center * y.Scale / x.Scale * r.Mean
			}
		}
		for _, r := range plain[i].Summary.Rows {
			m, sd := want[r.Variable][0], want[r.Variable][1]
			if r.Variable == "beta[intercept]" {
				m, sd = intercept, r.SD
			}
			if !(math.Abs(r.Mean-m) <= 1e-9*math.Abs(m)) || !math.IsNaN(r.SD) && !(math.Abs(r.SD-sd) <= 1e-9*sd) {
				t.Errorf("t=%d %s: %g (%g), from the model's units %g (%g)", p.Summary.T, r.Variable, r.Mean, r.SD, m, sd)
			}
		}
		if s := p.Summary.Score; !math.IsNaN(s.RMSE) && !(math.Abs(y.Scale*s.RMSE/plain[i].Summary.Score.RMSE-1) < .2) {
			t.Errorf("t=%d: rmse %g in units of %g, %g", p.Summary.T, s.RMSE, y.Scale, plain[i].Summary.Score.RMSE)
		}
	}
}

// predictions holds the messages from a key's second shard on against a model
// of its own that has seen the shards before.
func predictions(t *testing.T, c *config.Config, key string, got []pipeline.Record, shards []*cdf.Batch, want []int) {
	t.Helper()
	m := c.Models[slices.IndexFunc(c.Models, func(m config.Model) bool { return m.Match == key })]
	filter := cdf.NewFilter(m.Spec, key)
	for i, b := range shards {
		if i > 0 {
			found, err := filter.Predict(b)
			if err != nil {
				t.Fatal(err)
			}
			rows, absorbed := rowsOf(t, &got[i-1])
			if absorbed != 0 && absorbed != filter.T() {
				t.Errorf("%s, shard %d: from the state after %d shards", key, i+1, absorbed)
			}
			if len(rows) != len(want) {
				t.Fatalf("%s, shard %d: %d rows, want %v", key, i+1, len(rows), want)
			}
			for k, row := range want {
				if p := found[row]; rows[k] != [5]float64{float64(row), p.Mean, p.SD, p.Q025, p.Q975} {
					t.Errorf("%s, shard %d: %v, want row %d %+v", key, i+1, rows[k], row, p)
				}
			}
		}
		if _, err := filter.Update(b); err != nil {
			t.Fatal(err)
		}
	}
}

// publishedTopics holds the topics that were made against what is sent to
// them.
func publishedTopics(t *testing.T, w *world) {
	t.Helper()
	conn := w.connect(w.config())
	for _, topic := range []string{"posteriors", "posteriors.draws", "posteriors.predictions"} {
		s, err := conn.Client.Describe(t.Context(), topic)
		if err != nil {
			t.Fatal(err)
		}
		most, _ := s.Int("max.message.bytes")
		if kept, _ := s.Int("retention.ms"); s.Partitions != connect.Partitions || most != 40<<20+config.Headroom || kept != -1 || s.Configs["cleanup.policy"] != "delete" {
			t.Errorf("%s: %+v", topic, s)
		}
	}
	if code, out, _ := w.consumer("check", "--json"); code != 0 || strings.Count(out, "4 partitions, settings fit") != 4 || strings.Count(out, "it has 4 partitions") != 1 {
		t.Errorf("check: exit %d\n%s", code, out)
	}
	// The same topics do not do for larger summaries.
	code, out, _ := w.consumer("check", "--set", "limits.summary=50MiB")
	if code != 0 || strings.Count(out, "or lower limits.summary") != 3 {
		t.Errorf("check for more: exit %d\n%s", code, out)
	}
}

// What is sent again after the store went back in time is the same to the
// byte, also where the state came from a snapshot.
func TestPublishedAgainIsTheSame(t *testing.T) {
	w := newWorldOf(t, "format: arrow", publishing)
	topics := []string{"posteriors", "posteriors.draws", "posteriors.predictions"}
	run := func() {
		if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
			t.Fatalf("run: exit %d\n%s", code, messages)
		}
	}
	shards := publishingShards(8)
	w.sendShards(publishingKeys, shards[:4])
	run()
	saved, err := rewind.Save(t.Context(), w.env.StoreAddr())
	if err != nil {
		t.Fatal(err)
	}
	w.sendShards(publishingKeys, shards[4:])
	run()
	before := map[string]int{}
	for _, topic := range topics {
		before[topic] = len(w.read(topic))
	}
	if err := rewind.Restore(t.Context(), w.env.StoreAddr(), saved); err != nil {
		t.Fatal(err)
	}
	run()
	for _, topic := range topics {
		all := w.read(topic)
		if len(all) <= before[topic] {
			t.Errorf("%s: %d messages, %d before the store went back", topic, len(all), before[topic])
		}
		first := map[string]pipeline.Record{}
		for _, r := range all {
			id := header(&r, "ce_source") + " " + header(&r, "ce_id")
			f, again := first[id]
			if !again {
				first[id] = r
				continue
			}
			if f.Time != r.Time || !bytes.Equal(f.Key, r.Key) || !bytes.Equal(f.Value, r.Value) || !reflect.DeepEqual(f.Headers, r.Headers) {
				t.Errorf("%s: %s is not the same twice", topic, id)
			}
		}
		if len(first) != before[topic] {
			t.Errorf("%s: %d different messages, %d before the store went back", topic, len(first), before[topic])
		}
	}
}
