//go:build unix

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// amended are models of which those of linear have what a release before does not read: by which columns errors vary.
const amended = `models:
  - {match: "d/*", kind: dlm, columns: {response: y}}
  - {match: "k/*", kind: linear, columns: {response: y, features: [x0]}}
`

// later has one worker of a release before at work beside states that it does not read: a partition with one such
// key stops as a whole, the other one goes on, nothing changes, and a worker of this release that takes its place
// goes on by itself. PREVIOUS changes what that is.
func (d *drill) later(t *testing.T) {
	if d.partly == "" {
		t.Skip("what another release than that of PREVIOUS cannot read is not known")
	}
	input := d.topic(t, "later-in", 2)
	g := d.groupOf(t, "later", input, amended)
	o := observe(t, d.client, g, input)
	rng := rand.New(rand.NewPCG(d.seed, 5))
	publisher := kafka.NewPublisher(d.client, kafka.LZ4)
	// feed sends a shard of each key, of 30 rows: k/0 has a partition beside a key that any release reads.
	feed := func(rounds int) {
		t.Helper()
		for range rounds {
			for id, keys := range [][]string{{"d/0"}, {"k/0", "d/1"}} {
				for _, key := range keys {
					b := &cdf.Batch{Rows: 30}
					x, y := cdf.Column{Name: "x0"}, cdf.Column{Name: "y"}
					for range b.Rows {
						x.Number, y.Number = append(x.Number, rng.NormFloat64()), append(y.Number, rng.NormFloat64())
					}
					b.Columns = []cdf.Column{x, y}
					value, err := arrow.Encode(b)
					if err != nil {
						t.Fatal(err)
					}
					to := pipeline.Partition{Topic: input, ID: int32(id)}
					if err := publisher.PublishTo(t.Context(), to, []pipeline.Output{{Topic: input, Key: []byte(key), Value: value, Time: time.Now().UnixMilli()}}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	feed(1)
	settle(t, d.partly, g)
	feed(8)
	settle(t, d.present, g)
	before := o.states(t)
	feed(3)
	w := programs.Start(t, d.partly, "run", "--config", g.config, "--set", "http.listen=127.0.0.1:0")
	programs.Eventually(t, "a partition halts", func() (bool, error) {
		_, metrics := w.Fetch(t, "/metrics")
		return strings.Contains(metrics, `credence_partitions_halted{reason="format"} 1`), nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	if err := probe.Until(ctx, func(ctx context.Context) error {
		behind, err := o.behind(ctx)
		if err == nil && behind != 2*3 { // of partition 1, all
			err = fmt.Errorf("%d records are not saved", behind)
		}
		return err
	}); err != nil {
		t.Errorf("the partition that a release before reads: %v", err)
	}
	t.Logf("a release before says:\n%s", w.Readiness(t, 503))
	for place, value := range o.states(t) {
		if place != "0 d/0" && value != before[place] {
			t.Errorf("%s has changed", place)
		}
	}
	begun := time.Now()
	next := programs.Start(t, d.present, "run", "--config", g.config, "--set", "http.listen=127.0.0.1:0")
	w.Stop(t)
	if err := probe.Until(ctx, func(ctx context.Context) error {
		behind, err := o.behind(ctx)
		if err == nil && behind > 0 {
			err = fmt.Errorf("%d records are not saved", behind)
		}
		return err
	}); err != nil {
		t.Fatalf("this release in its place: %v", err)
	}
	t.Logf("all goes on %.1f s after the worker of this release was started", time.Since(begun).Seconds())
	next.Stop(t)
	d.sameSums(t, g)
	calm := d.groupOf(t, "later-calm", input, amended)
	settle(t, d.present, calm)
	same(t, observe(t, d.client, calm, input).states(t), o.states(t))
}
