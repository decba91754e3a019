package offheap

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/credence-stream/credence/testenv/probe"
)

// TestPool takes and frees slots at random: none is handed out twice, what a slot has in the
// beginning is zeroes, what was written stays, and the pool has at most a slab beside the most that was in use.
func TestPool(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	p := NewPool(16 << 10)
	written, order, peak := map[ID]byte{}, []ID{}, int64(0)
	for step := range 65_000 {
		if r.IntN(100) < [...]int{70, 50, 20}[step/5_000%3] {
			id := p.Alloc()
			if _, twice := written[id]; twice || id == 0 {
				t.Fatalf("step %d: slot %d is handed out again", step, id)
			}
			if b := p.Slot(id); len(b) != SlotBytes || !bytes.Equal(b, make([]byte, SlotBytes)) {
				t.Fatalf("step %d: slot %d begins as %x", step, id, b)
			}
			written[id], order = byte(step), append(order, id)
			copy(p.Slot(id), bytes.Repeat([]byte{byte(step)}, SlotBytes))
		} else if len(order) > 0 {
			i := r.IntN(len(order))
			id := order[i]
			order[i] = order[len(order)-1]
			order = order[:len(order)-1]
			if want := bytes.Repeat([]byte{written[id]}, SlotBytes); !bytes.Equal(p.Slot(id), want) {
				t.Fatalf("step %d: slot %d has changed", step, id)
			}
			p.Free(id)
			delete(written, id)
		}
		peak = max(peak, p.Used())
		if p.Used() != int64(len(order)) || p.Bytes() > peak*SlotBytes+p.Slab() {
			t.Fatalf("step %d: %d slots are in use, %d counted; %d bytes, at most %d were in use at once", step, len(order), p.Used(), p.Bytes(), peak*SlotBytes)
		}
	}
	for _, id := range order {
		p.Free(id)
	}
	if p.Bytes() != 0 || p.Slot(order[0]) != nil {
		t.Errorf("%d bytes are held of no slot", p.Bytes())
	}
}

// TestQueue pushes and pops records of all lengths at random, of three queues in one pool, and
// reads from the middle.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 17))
	p := NewPool(16 << 10)
	type model struct {
		queue   Queue
		records [][]byte
		marks   []Mark
	}
	var queues [3]model
	for step := range 30_000 {
		q := &queues[r.IntN(3)]
		switch n := len(q.records); {
		case r.IntN(100) < [...]int{60, 45}[step/3_000%2]:
			b := make([]byte, [...]int{0, r.IntN(4), 121 + r.IntN(6), r.IntN(700)}[r.IntN(4)])
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			q.records, q.marks = append(q.records, b), append(q.marks, p.Push(&q.queue, b))
		case n > 0 && r.IntN(400) == 0:
			p.Clear(&q.queue)
			q.records, q.marks = nil, nil
		case r.IntN(100) == 0:
			b := make([]byte, r.IntN(700))
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			p.Replace(&q.queue, b)
			q.records, q.marks = [][]byte{b}, []Mark{q.queue.Oldest()}
		case n > 0:
			most := r.IntN(200)
			want := append([]byte("before"), q.records[0][:min(most, len(q.records[0]))]...)
			if got := p.Head([]byte("before"), q.queue.Oldest(), most); !bytes.Equal(got, want) {
				t.Fatalf("step %d: %x comes first, want %x", step, got, want)
			}
			p.Pop(&q.queue)
			q.records, q.marks = q.records[1:], q.marks[1:]
		}
		if q.queue.Len() != len(q.records) {
			t.Fatalf("step %d: %d records, want %d", step, q.queue.Len(), len(q.records))
		}
		if n := len(q.records); n > 0 && step%10 == 0 {
			at, i := q.queue.Oldest(), 0
			for skip := r.IntN(n); i < skip; i++ {
				at = p.Skip(at)
			}
			for ; i < n; i++ {
				if b, _ := p.Read(nil, q.marks[i]); !bytes.Equal(b, q.records[i]) {
					t.Fatalf("step %d: record %d of %d by its mark is %x, want %x", step, i, n, b, q.records[i])
				}
				var b []byte
				if b, at = p.Read(nil, at); !bytes.Equal(b, q.records[i]) {
					t.Fatalf("step %d: record %d of %d is %x, want %x", step, i, n, b, q.records[i])
				}
			}
		}
	}
	total := int64(0)
	for i := range queues {
		total += queues[i].queue.Bytes()
	}
	if total != p.Used()*SlotBytes {
		t.Errorf("queues count %d bytes of %d", total, p.Used()*SlotBytes)
	}
	for i := range queues {
		p.Clear(&queues[i].queue)
	}
	if p.Bytes() != 0 {
		t.Errorf("%d bytes are held of no record", p.Bytes())
	}
}

// TestForgottenPoolGoesBack: memory of a pool that nobody has any more goes back to the system, and
// what was released cannot be used.
func TestForgottenPoolGoesBack(t *testing.T) {
	runtime.GC()
	before := Mapped()
	p := NewPool(512 << 10)
	var q Queue
	for range 1000 {
		p.Push(&q, make([]byte, 10_000))
	}
	b := New(100)
	b.Release()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a block that was given back is read")
			}
		}()
		_ = b.Bytes[0]
	}()
	if Mapped() == before {
		t.Log("here all memory is of the heap")
		return
	}
	if got := Mapped() - before; got < 10_000_000 {
		t.Errorf("%d bytes are mapped for 10,000,000", got)
	}
	runtime.KeepAlive(p)
	p = nil
	probe.Eventually(t, "the memory of a forgotten pool to go back", func() bool { runtime.GC(); return Mapped() <= before })
}
