//go:build unix

package integration

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestTransactional has a transactional producer commit and abort shards. The
// log ends with the marker of an aborted one.
func TestTransactional(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		f, lost := w.feeder(t, 2), w.feeder(t, 2)
		f.client = franz(t, env, kgo.TransactionalID(w.group))
		lost.client = f.client
		transaction := func(of *feeder, shards int, end kgo.TransactionEndTry) {
			t.Helper()
			if err := f.client.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			of.send(t, shards)
			if err := f.client.EndTransaction(t.Context(), end); err != nil {
				t.Fatal(err)
			}
		}
		transaction(f, 3, kgo.TryCommit)
		transaction(lost, 2, kgo.TryAbort)
		transaction(f, 1, kgo.TryCommit)
		w.settle(t)
		f.complete(t, w)

		// While the consumer runs, and with a marker at the end: --until-end
		// must not wait for records that are none.
		s := w.start(t)
		transaction(f, 2, kgo.TryCommit)
		transaction(lost, 1, kgo.TryAbort)
		// 9 records and 5 markers; markers come after EndTransaction has returned.
		programs.Eventually(t, "the end of the transactions", func() (bool, error) {
			at, err := ends(t.Context(), w.kafka, w.input)
			return at[0] == 14, err
		})
		w.caughtUp(t)
		s.Stop(t)
		start := time.Now()
		w.settle(t)
		t.Logf("--until-end took %v", time.Since(start).Round(time.Millisecond))
		f.complete(t, w)
		if n := int64(len(w.tail(t))); n != f.shards {
			t.Errorf("%d summaries of %d committed shards", n, f.shards)
		}
		if dead := read(t, env, w.dead); len(dead) != 0 {
			t.Errorf("%d dead letters", len(dead))
		}
	})
}
