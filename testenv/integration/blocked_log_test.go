//go:build unix

package integration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
)

// TestALogThatNobodyReads gives the consumer more to say than a pipe holds that nobody reads: it applies all records,
// and ends.
func TestALogThatNobodyReads(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1, models: `[{match: "**", kind: linear, forget: 0.5, forget_per: 1h}]`})
		const keys = 900 // each of which has a line about a time that is missing
		c, rng := franz(t, env), rand.New(rand.NewPCG(8, 3))
		records := make([]*kgo.Record, keys)
		for i := range records {
			records[i] = &kgo.Record{Topic: w.input, Key: fmt.Appendf(nil, "k%d", i), Value: good(t, rng), Timestamp: time.UnixMilli(-1)}
		}
		send(t, c, records...)
		unread, stderr, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = unread.Close(), stderr.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, filepath.Join(binaries, "consumer"), "run", "--until-end", "--config", w.file)
		cmd.Stderr = stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("the consumer ended with %v", err)
		}
		if n := len(w.tail(t)); n != keys {
			t.Errorf("%d of %d posteriors", n, keys)
		}
	})
}
