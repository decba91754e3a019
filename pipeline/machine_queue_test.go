package pipeline

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQueue pushes, pops and cuts at random beside a plain list.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	var q queue
	var want []int64
	next := int64(0)
	for step := range 20_000 {
		switch n := len(want); r.IntN(4) {
		case 0, 1:
			list := make([]Record, r.IntN(5))
			for i := range list {
				list[i] = Record{Offset: next, Value: make([]byte, next%7)}
				want = append(want, next)
				next++
			}
			q.push(list)
		case 2:
			some := r.IntN(n + 1)
			q.pop(some)
			want = want[some:]
		default:
			if kept := r.IntN(n + 1); kept < n && step%8 == 0 {
				bytes := int64(0)
				for _, offset := range want[kept:] {
					bytes += (&Record{Value: make([]byte, offset%7)}).Size()
				}
				if first, gone := q.cut(kept); first != want[kept] || gone != bytes {
					t.Fatalf("step %d: %d bytes went from offset %d on, want %d from %d on", step, gone, first, bytes, want[kept])
				}
				want = want[:kept]
			}
		}
		var got []int64
		bytes := int64(0)
		for r := range q.all {
			got = append(got, r.Offset)
			bytes += r.Size()
		}
		if !slices.Equal(got, want) || q.n != len(want) || q.bytes != bytes {
			t.Fatalf("step %d: offsets %v, %d records of %d bytes; want %v, %d and %d", step, got, q.n, q.bytes, want, len(want), bytes)
		}
	}
}

// TestQueueKeepsNothing: what was taken out is not kept, for it may be a megabyte of records.
func TestQueueKeepsNothing(t *testing.T) {
	var q queue
	first, second := make([]Record, 2), []Record{{Offset: 2}, {Offset: 3}}
	q.push(first)
	q.push(second)
	lists := q.fetched
	q.pop(2)
	if lists[0] != nil {
		t.Error("a list without records is kept")
	}
	second[1].Value = []byte("x")
	q.cut(1)
	if second[1].Value != nil {
		t.Error("what was given back is kept beside what stays")
	}
}
