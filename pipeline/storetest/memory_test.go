package storetest

import (
	"errors"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

func openMemory(*testing.T) Fixture {
	m := NewMemory()
	return Fixture{
		Store:   m,
		Reader:  m,
		Admin:   m,
		Layouts: m,
		Sibling: func() (pipeline.Store, pipeline.Reader) {
			other := NewMemory()
			return other, other
		},
		Snapshot: func() func() {
			s := m.Snapshot()
			return func() { m.Restore(s) }
		},
		Lose:     m.Lose,
		LoseBlob: m.LoseBlob,
	}
}

func TestMemory(t *testing.T) { Run(t, openMemory) }

// A fault before has no effect, one after has the whole effect, and neither is
// a fence.
func TestMemoryFaults(t *testing.T) {
	m := NewMemory()
	s := &subject{Fixture: Fixture{Store: m, Reader: m}, t: t}
	s.claim("a")
	for _, c := range []struct {
		fault Fault
		want  int64
	}{{Before, -1}, {After, 10}} {
		m.Inject(func(call Call) Fault {
			if call.Op == "save" && call.Token == "a" && call.Partition == part && call.Checkpoint.To == 10 {
				return c.fault
			}
			return None
		})
		err := m.Save(t.Context(), lease("a"), put(-1, 10, "k", "v"))
		if !errors.Is(err, ErrInjected) || errors.Is(err, pipeline.ErrFenced) {
			t.Errorf("fault %d: error %v", c.fault, err)
		}
		if got := s.meta().Watermark; got != c.want {
			t.Errorf("fault %d: watermark %d, want %d", c.fault, got, c.want)
		}
	}
	m.Inject(nil)
	s.saveIs("a", put(-1, 10, "k", "v"), pipeline.ErrFenced)
	s.holds("a", 10, "k", "v")
}

// A snapshot is apart from the store, and can be restored more than once.
func TestMemorySnapshotIsApart(t *testing.T) {
	m := NewMemory()
	s := &subject{Fixture: Fixture{Store: m, Reader: m}, t: t}
	s.claim("a")
	s.save("a", put(-1, 10, "k", "ten"))
	shot := m.Snapshot()
	for range 2 {
		s.save("a", put(10, 20, "k", "twenty", "l", "x"))
		m.Restore(shot)
		s.holds("a", 10, "k", "ten")
		s.holds("a", 10, "l", "")
	}
}

// What a caller holds is its own.
func TestMemoryCopies(t *testing.T) {
	m := NewMemory()
	s := &subject{Fixture: Fixture{Store: m, Reader: m}, t: t}
	s.claim("a")
	c := put(-1, 10, "k", "ten")
	s.save("a", c)
	c.Changes[0].Value[0] = '!'
	got, err := m.Load(t.Context(), lease("a"), []int64{10}, []string{"k"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	got[0][0] = '?'
	s.holds("a", 10, "k", "ten")
}
