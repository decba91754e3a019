package kafka

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/pipeline"
)

// TestTransactions: aborted records are not seen, markers are passed over,
// an open transaction holds the end back.
func TestTransactions(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	producers := make([]*kgo.Client, 2)
	for i := range producers {
		producers[i] = franz(t, addrs, kgo.TransactionalID(fmt.Sprintf("%s-%d", p.Topic, i)), kgo.DefaultProduceTopic(p.Topic))
	}
	begin := func(i int) {
		t.Helper()
		if err := producers[i].BeginTransaction(); err != nil {
			t.Fatal(err)
		}
	}
	say := func(i int, words string) {
		t.Helper()
		for _, w := range strings.Fields(words) {
			if err := producers[i].ProduceSync(t.Context(), &kgo.Record{Value: []byte(w)}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
	}
	end := func(i int, how kgo.TransactionEndTry) {
		t.Helper()
		if err := producers[i].EndTransaction(t.Context(), how); err != nil {
			t.Fatal(err)
		}
	}
	whole := func(want string, next int64) {
		t.Helper()
		// Markers reach the log after EndTransaction returns.
		eventually(t, "end of the transactions", func() bool {
			_, end, err := l.Bounds(t.Context(), p)
			return err == nil && end == next
		})
		for _, maxBytes := range []int{1, 200, 1 << 20} { // one batch, few, all per answer
			got, at := read(t, l, p, 0, maxBytes)
			if values(got) != want || at != next {
				t.Fatalf("maxBytes %d: %q, next %d; want %q, %d", maxBytes, values(got), at, want, next)
			}
		}
	}

	begin(0)
	say(0, "a b")
	f, err := l.Fetch(t.Context(), p, 0, 1<<20)
	if err != nil || len(f.Records) != 0 || f.Next != 0 || f.End != 0 || f.High != 2 {
		t.Fatalf("open transaction: %v %v", f, err)
	}
	if _, last, err := l.Bounds(t.Context(), p); err != nil || last != 0 {
		t.Fatalf("open transaction: the log ends at %d, %v", last, err)
	}
	end(0, kgo.TryCommit) // a b C
	whole("a b", 3)

	begin(0)
	say(0, "x y")
	end(0, kgo.TryAbort) // x y A: the log ends with a marker
	whole("a b", 6)
	// A reader that comes to an aborted range in its middle.
	if got, at := read(t, l, p, 4, 1<<20); len(got) != 0 || at != 6 {
		t.Errorf("from the middle of an aborted range: %q, next %d", values(got), at)
	}

	// Two producers interleaved: one aborts, the other's records count.
	begin(0)
	begin(1)
	say(0, "no1")
	say(1, "c")
	say(0, "no2")
	say(1, "d")
	end(0, kgo.TryAbort)
	say(1, "e")
	end(1, kgo.TryCommit)
	publish(t, c, Plain, pipeline.Output{Topic: p.Topic, Value: []byte("plain")})
	whole("a b c d e plain", 14)

	// The producer that aborted commits: its later records count.
	begin(0)
	say(0, "f")
	end(0, kgo.TryCommit)
	whole("a b c d e plain f", 16)

	// The first transaction to abort after the start of an answer.
	begin(1)
	say(1, "no3")
	end(1, kgo.TryAbort)
	begin(1)
	say(1, "g")
	end(1, kgo.TryCommit)
	whole("a b c d e plain f g", 20)
}
