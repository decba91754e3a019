package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// traffic saves checkpoints as a worker does, whatever happens to the servers: after an
// error it looks what became of the checkpoint, and where the store has lost some it goes
// on from there. What a key holds is a function of the watermark, as if a log had it.
type traffic struct {
	s     *Store
	lease pipeline.Lease
	at    int64 // watermark as acknowledged
	saves int
	// errs are calls that failed, lost how often acknowledged checkpoints were gone.
	errs, lost int
}

const (
	trafficKeys = 1500 // so that no hash is empty
	trafficStep = 10   // keys per checkpoint
)

func newTraffic(t *testing.T, s *Store) *traffic {
	x := &traffic{s: s, lease: lease("traffic"), at: -1}
	claim(t, s, "traffic")
	for x.at < 3*trafficKeys/2 { // servers that stood still may have elected another master
		eventually(t, "a checkpoint", func() error { return x.step(t.Context()) })
	}
	return x
}

// valueAt is what offset writes to its key.
func valueAt(offset int64) pipeline.Stored {
	text := fmt.Sprintf("offset %d ", offset)
	if offset%97 == 0 { // a blob
		text = strings.Repeat(text, blobBytes/len(text)+2)
	}
	return pipeline.Stored(text)
}

func trafficKey(offset int64) string { return fmt.Sprintf("key/%d", offset%trafficKeys) }

func (x *traffic) step(ctx context.Context) error {
	from := max(x.at, 0)
	c := pipeline.Checkpoint{From: x.at, To: from + trafficStep, Last: pipeline.Last{Offset: from + trafficStep - 1}}
	for o := from; o < c.To; o++ {
		c.Changes = append(c.Changes, pipeline.Change{Key: trafficKey(o), Value: valueAt(o)})
	}
	err := x.s.Save(ctx, x.lease, c)
	if err == nil {
		x.at, x.saves = c.To, x.saves+1
		return nil
	}
	x.errs++
	meta, merr := x.s.Meta(ctx, part)
	switch {
	case merr != nil:
		return errors.Join(err, merr)
	case meta.Watermark == c.To:
		x.at = c.To
	case meta.Watermark < x.at:
		x.lost++
		x.at = meta.Watermark
	}
	if meta.Owner != x.lease.Token {
		if _, err := x.s.Claim(ctx, x.lease); err != nil {
			return err
		}
	}
	return err
}

// until goes on until a number of checkpoints in a row was saved after done was closed.
func (x *traffic) until(t *testing.T, done <-chan error) {
	t.Helper()
	for saved := 0; saved < 20; {
		select {
		case err := <-done:
			must(t, err)
			done = nil
		default:
		}
		if err := x.step(t.Context()); err != nil {
			if errors.Is(err, pipeline.ErrDamaged) {
				t.Fatal(err)
			}
			saved = 0
			eventually(t, "a checkpoint", func() error { return x.step(t.Context()) })
		} else if done == nil {
			saved++
		}
	}
}

// verify compares every key with what the watermark says.
func (x *traffic) verify(t *testing.T) {
	t.Helper()
	audit, err := x.s.Audit(t.Context(), part)
	if err != nil || !audit.Whole() || audit.Held != trafficKeys {
		t.Errorf("%+v and error %v", audit, err)
	}
	differ := 0
	for k := range int64(trafficKeys) {
		last := k + (x.at-1-k)/trafficKeys*trafficKeys
		got, err := x.s.Get(t.Context(), part, trafficKey(k))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(valueAt(last)) {
			if differ++; differ < 3 {
				t.Errorf("%s holds %.40q, and offset %d wrote %.40q", trafficKey(k), got, last, valueAt(last))
			}
		}
	}
	t.Logf("%d checkpoints saved, %d calls failed, %d times acknowledged ones were lost and replayed: %d of %d keys differ",
		x.saves, x.errs, x.lost, differ, trafficKeys)
}
