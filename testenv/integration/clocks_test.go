//go:build unix

package integration

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
)

// TestRecordsWithoutTime: Kafka's records may have no timestamp, and the clock of a device may never have been
// set (Kafka 4 itself refuses what is an hour ahead of it). Neither makes a model forget what came before, and posteriors and log say where time was ignored.
func TestRecordsWithoutTime(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1, models: `[{match: "**", kind: linear, forget: 0.5, forget_per: 1h}]`})
		c, rng := franz(t, env), rand.New(rand.NewPCG(8, 2))
		now := time.UnixMilli(1_700_000_000_000)
		for _, at := range []time.Time{time.UnixMilli(-1), now, now.AddDate(-20, 0, 0), now.Add(time.Hour)} {
			send(t, c, &kgo.Record{Topic: w.input, Key: []byte("k"), Value: good(t, rng), Timestamp: at})
		}
		got := w.consumer(t, "run", "--until-end")
		if got.Code != 0 || strings.Count(got.Messages, "flag=time_ignored") != 1 {
			t.Errorf("exit %d\n%s", got.Code, got.Messages)
		}
		all := w.tail(t)
		if len(all) != 4 {
			t.Fatalf("%d posteriors", len(all))
		}
		for i, rows := range []float64{1, 2, 3, 2.5} {
			if want := fmt.Sprintf(`"n_eff":%g,`, rows*feederRows); !strings.Contains(all[i].text, want) {
				t.Errorf("record %d: not %s in %.300s", i+1, want, all[i].text)
			}
			if told := strings.Contains(all[i].text, `"time_ignored"`); told != (i == 0 || i == 2) {
				t.Errorf("record %d: time_ignored is %v", i+1, told)
			}
		}
	})
}
