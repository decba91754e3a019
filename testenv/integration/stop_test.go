//go:build unix

package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestGracefulStop ends a consumer in the middle of a stream and starts it
// again: it goes on exactly where it was.
func TestGracefulStop(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 6)
		var watermarks int64
		for range 3 {
			s := w.start(t)
			stop := f.flow(t, 5*time.Millisecond)
			programs.Eventually(t, "records applied", func() (bool, error) {
				return s.Metric(t, "records_consumed_total") > 50, nil
			})
			start := time.Now()
			s.Stop(t)
			t.Logf("ended within %v", time.Since(start).Round(time.Millisecond))
			stop()
			watermarks = 0
			for partition, offset := range w.committed(t) {
				stored, err := w.stored(t.Context(), partition)
				if err != nil {
					t.Fatal(err)
				}
				if offset > stored {
					t.Errorf("partition %d: group offset %d, watermark %d", partition, offset, stored)
				} else if offset < stored && (offset != -1 || stored != 0) {
					t.Logf("partition %d: group offset %d, watermark %d: the last commit is not waited for longer than half a second", partition, offset, stored)
				}
				watermarks += stored
			}
			if watermarks == 0 {
				t.Fatal("nothing was saved")
			}
		}

		s := w.start(t)
		w.caughtUp(t)
		if got, want := s.Metric(t, "records_consumed_total"), float64(f.shards-watermarks); got != want {
			t.Errorf("the last one has consumed %v records, %v were left", got, want)
		}
		ends, err := ends(t.Context(), w.kafka, w.input)
		if err != nil {
			t.Fatal(err)
		}
		programs.Eventually(t, "the group offsets at the end of the log", func() (bool, error) {
			for partition, offset := range w.committed(t) {
				if offset != ends[partition] && ends[partition] > 0 {
					return false, fmt.Errorf("partition %d: group offset %d, the log ends at %d", partition, offset, ends[partition])
				}
			}
			return true, nil
		})
		s.Stop(t)
		f.complete(t, w)
		// Not one summary came twice.
		if n := int64(len(read(t, env, w.output))); n != f.shards {
			t.Errorf("%d summaries of %d shards", n, f.shards)
		}

		s = w.start(t)
		s.Readiness(t, 200)
		if n := s.Metric(t, "records_consumed_total"); n != 0 {
			t.Errorf("%v records consumed where there were none", n)
		}
		s.Stop(t)
	})
}

// trouble is what a server may be in, and how it gets out of it.
type trouble struct {
	name  string
	begin func() error
	end   func(context.Context) error
}

// troubles are servers that refuse connections and, where that can be had, ones
// that are frozen: their connections stay open.
func troubles(env *testenv.Env) []trouble {
	all := []trouble{{"without kafka", env.KillKafka, env.StartKafka}, {"without redis", env.KillRedis, env.StartRedis}}
	if env.Backend == testenv.Embedded || testing.Short() {
		return all
	}
	return append(all,
		trouble{"with a frozen kafka", env.PauseKafka, func(context.Context) error { return env.ResumeKafka() }},
		trouble{"with a frozen redis", env.PauseRedis, func(context.Context) error { return env.ResumeRedis() }})
}

// TestStopDuringOutage ends a consumer that cannot save what it has applied, and
// one that has not got as far as that. The next one finds nothing missing.
func TestStopDuringOutage(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{kafka: ", session_timeout: 6s"}) // see TestOutages
		f := w.feeder(t, 6)
		for _, trouble := range troubles(env) {
			s := w.start(t)
			s.Readiness(t, 200)
			stop := f.flow(t, 5*time.Millisecond)
			programs.Eventually(t, "records applied", func() (bool, error) {
				return s.Metric(t, "records_consumed_total") > 50, nil
			})
			if err := trouble.begin(); err != nil {
				t.Fatal(err)
			}
			s.Readiness(t, 503)
			late := w.start(t)
			for which, s := range map[string]*programs.Service{"one at work": s, "one that starts": late} {
				start := time.Now()
				s.Stop(t)
				took := time.Since(start)
				t.Logf("%s, %s ended within %v", trouble.name, which, took.Round(time.Millisecond))
				if took > 20*time.Second { // a call waits for 30, 3 and less are usual
					t.Errorf("%s, %s ended after %v", trouble.name, which, took)
				}
			}
			if err := trouble.end(t.Context()); err != nil {
				t.Fatal(err)
			}
			stop()
		}
		w.settle(t)
		f.complete(t, w)
	})
}
