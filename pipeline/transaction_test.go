package pipeline_test

import (
	"bytes"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// warnings counts the log lines about something.
type warnings struct {
	about string
	n     atomic.Int64
}

func (w *warnings) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(w.about)) {
		w.n.Add(1)
	}
	return len(line), nil
}

// Records of a transaction that does not end are lag, and after a minute a
// warning.
func TestOpenTransactionIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := &warnings{about: "open transaction"}
		k := &pipelinetest.Kafka{Log: pipelinetest.Records(5, 60), Open: 20}
		b := pipelinetest.StartLogging(t, k, storetest.NewMemory(), pipelinetest.Rules(t), slog.NewTextHandler(said, nil))
		b.CatchUp(t) // to what can be read
		<-time.After(50 * time.Second)
		synctest.Wait()
		if lag := metric(t, b.Reg, "credence_consumer_lag_records"); lag != 20 {
			t.Errorf("lag %g, want the 20 records that cannot be read", lag)
		}
		// It ends, and the one behind it is open from now on.
		k.Set(func(k *pipelinetest.Kafka) { k.Open = 10 })
		<-time.After(50 * time.Second)
		synctest.Wait()
		if said.n.Load() > 0 {
			t.Error("a transaction of less than a minute is told of")
		}
		<-time.After(70 * time.Second)
		synctest.Wait()
		if open := metric(t, b.Reg, "credence_open_transaction_seconds"); open < 100 {
			t.Errorf("open for %g s, want 2 minutes", open)
		}
		k.Set(func(k *pipelinetest.Kafka) { k.Open = 0 })
		b.CatchUp(t)
		<-time.After(2 * time.Second)
		synctest.Wait()
		if lag, open := metric(t, b.Reg, "credence_consumer_lag_records"), metric(t, b.Reg, "credence_open_transaction_seconds"); lag != 0 || open != 0 {
			t.Errorf("lag %g, open for %g s; want none when it has ended", lag, open)
		}
		b.Stop(t)
		if n := said.n.Load(); n != 1 {
			t.Errorf("told of %d times, want once", n)
		}
	})
}
