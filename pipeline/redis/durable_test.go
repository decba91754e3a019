package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// A save that was acknowledged survives kill -9 of the server, and what is
// there afterwards is a whole checkpoint: every value carries its watermark.
func TestAcknowledgedSavesSurviveKill(t *testing.T) {
	const seed, rounds, keys = 20011, 4, 40
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	// With everysec the server may answer before it writes, while the disk is slow.
	srv := startServer(t, "--appendfsync", "always")
	s := backend{"redis://" + srv.addr(), srv.raw}.store(t, "credence")
	acked := int64(-1)
	for round := range rounds {
		token := fmt.Sprint("t", round)
		eventually(t, "claim", func() error {
			meta, err := s.Claim(t.Context(), lease(token))
			if err == nil && meta.Watermark < acked {
				t.Fatalf("round %d: watermark %d, %d was acknowledged", round, meta.Watermark, acked)
			}
			acked = max(acked, meta.Watermark)
			return err
		})
		for i := range keys {
			key := stamp(int64(i))
			values, err := s.Load(t.Context(), lease(token), []int64{acked}, []string{key}, 1)
			must(t, err)
			if acked >= 0 && string(values[0][:len(stamp(acked))]) != stamp(acked) {
				t.Fatalf("round %d: key %s holds %.20q at watermark %d", round, key, values[0], acked)
			}
		}
		if round == rounds-1 {
			return
		}
		reached, stopped := make(chan struct{}), make(chan int64, 1)
		until := acked + 20 + rng.Int64N(60)
		go func() { // writes until the server is gone
			at := acked
			for ; ; at++ {
				if at == until {
					close(reached)
				}
				c := put(at, at+1)
				for i := range keys {
					value := stamp(at + 1)
					if i == 0 {
						value += big(' ')
					}
					c.Changes = append(c.Changes, pipeline.Change{Key: stamp(int64(i)), Value: pipeline.Stored(value)})
				}
				if err := s.Save(context.Background(), lease(token), c); err != nil {
					if errors.Is(err, pipeline.ErrFenced) || errors.Is(err, pipeline.ErrDamaged) {
						t.Errorf("round %d: %v", round, err)
					}
					break
				}
			}
			stopped <- at
		}()
		select {
		case <-reached:
		case at := <-stopped:
			t.Fatalf("round %d: the writer stopped at %d before the kill", round, at)
		}
		srv.kill()
		acked = <-stopped
		must(t, srv.start())
	}
}
