package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Two keys of compressed regression learn from noise, which they predict
// worse than its mean: each is named once, with what to do about it, and the
// posteriors carry the flag.
func TestWorseThanNullIsAdvisedOnce(t *testing.T) {
	w := newWorldOf(t, "format: json", `models:
  - {match: packed, kind: compressed, settings: {dimension: 3, statistics: packed}}
  - {match: sketch, kind: compressed, settings: {dimension: 3}}`)
	rng := rand.New(rand.NewPCG(13, 14))
	shards := make([]*cdf.Batch, 10)
	for i := range shards {
		b := &cdf.Batch{Rows: 40}
		for c := range 21 {
			v := make([]float64, b.Rows)
			for j := range v {
				v[j] = rng.NormFloat64()
			}
			name := fmt.Sprint("x", c)
			if c == 20 {
				name = "y"
			}
			b.Columns = append(b.Columns, cdf.Column{Name: name, Number: v})
		}
		shards[i] = b
	}
	w.sendShards([]string{"packed", "sketch"}, shards)
	code, _, messages := w.consumer("run", "--until-end")
	if code != 0 {
		t.Fatalf("run: exit %d\n%s", code, messages)
	}
	flagged := map[string]int{}
	for _, r := range w.read("posteriors") {
		if p := posteriorOf(t, &r); len(p.Summary.Flags) > 0 {
			flagged[p.Key]++
		}
	}
	for key, advice := range map[string]string{"packed": "set settings.statistics: sketch", "sketch": "raise settings.rank"} {
		if flagged[key] < 2 {
			t.Errorf("%s: %d shards have the flag, want several", key, flagged[key])
		}
		said := 0
		for line := range strings.Lines(messages) {
			if strings.Contains(line, "key="+key) && strings.Contains(line, "flag=worse_than_null") {
				said++
				for _, want := range []string{"level=WARN", "topic=shards", "partition=", advice} {
					if !strings.Contains(line, want) {
						t.Errorf("%s: no %q in %s", key, want, line)
					}
				}
			}
		}
		if said != 1 {
			t.Errorf("%s is named %d times for it in\n%s", key, said, messages)
		}
	}
}
