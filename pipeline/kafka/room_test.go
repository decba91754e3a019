package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestFollowTakesRoom: what an answer takes is in the budget before the answer is
// there; without room for it nothing is kept, and the connection goes on.
func TestFollowTakesRoom(t *testing.T) {
	for _, pack := range []Compression{Plain, Gzip, Snappy, LZ4, Zstd} {
		t.Run(fmt.Sprint(pack), func(t *testing.T) {
			c := connect(t, brokers(t))
			l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
			value := bytes.Repeat([]byte("0123456789abcdef"), 1<<20/16)
			for range 2 {
				publish(t, c, pack, pipeline.Output{Topic: p.Topic, Value: value})
			}
			follow := func(b *pipeline.Budget) (f pipeline.Fetched, room *pipeline.Room, runs int, err error) {
				room, err = b.Within(t.Context(), func(r *pipeline.Room) (err error) {
					runs++
					f, err = l.Follow(t.Context(), p, pipeline.Position{}, 4<<20, r)
					return err
				})
				return f, room, runs, err
			}
			b := pipeline.NewBudget(8 << 20)
			f, _, runs, err := follow(b)
			if err != nil || runs != 1 || len(f.Records) != 2 || b.Used() < 2<<20 {
				t.Errorf("%d records after %d runs, %d bytes held, %v", len(f.Records), runs, b.Used(), err)
			}
			full := pipeline.NewBudget(8 << 20)
			full.Add(9 << 20)
			ctx, cancel := context.WithCancel(t.Context())
			var short *pipeline.ShortError
			_, err = full.Within(ctx, func(r *pipeline.Room) error {
				defer cancel()
				_, err := l.Follow(t.Context(), p, pipeline.Position{}, 4<<20, r)
				if !errors.As(err, &short) {
					t.Errorf("%v, want that there is no room", err)
				}
				return err
			})
			if !errors.Is(err, context.Canceled) || full.Used() != 9<<20 {
				t.Errorf("%v, %d bytes held", err, full.Used())
			}
			f, room, runs, err := follow(pipeline.NewBudget(100 << 10)) // what is larger goes alone
			if err != nil || runs < 2 || len(f.Records) == 0 || !bytes.Equal(f.Records[0].Value, value) {
				t.Errorf("%d records after %d runs, %v", len(f.Records), runs, err)
			}
			room.Settle(0)
			n := 0
			for _, waiting := range c.idle {
				n += len(waiting)
			}
			if n != 1 {
				t.Errorf("%d connections wait, want the one", n)
			}
		})
	}
}

// TestFetchLargePacked: a packed record beyond a quarter of the batch's limit is
// refused by itself, and the others do not keep its bytes.
func TestFetchLargePacked(t *testing.T) {
	c := connect(t, brokers(t))
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	publish(t, c, Zstd, pipeline.Output{Topic: p.Topic, Value: []byte("a")},
		pipeline.Output{Topic: p.Topic, Value: make([]byte, testLimit/batchLimit+1)}, pipeline.Output{Topic: p.Topic, Value: []byte("c")})
	got, next := read(t, l, p, 0, 1<<20)
	if next != 3 || len(got) != 3 || values(got) != "a  c" {
		t.Fatalf("next %d, %d records", next, len(got))
	}
	if err := got[1].Refused; err == nil || !strings.Contains(err.Error(), "limits.record") || got[1].Value != nil || got[0].Refused != nil || got[2].Refused != nil {
		t.Errorf("refused: %v, %v, %v", got[0].Refused, err, got[2].Refused)
	}
}
