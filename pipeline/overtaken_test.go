package pipeline

import "testing"

// TestOvertakenByItsOwnCheckpoint: a look at the store, or a load of states, that is late finds the watermark of a
// checkpoint which this claim has saved meanwhile. That is no other owner. The next one of the same watermark is.
func TestOvertakenByItsOwnCheckpoint(t *testing.T) {
	fetched := func(m *machine) event {
		at := m.acked
		return evFetched{epoch: m.epoch, got: Fetched{Records: []Record{{Offset: at, Key: []byte("k"), Value: []byte("v")}}, Next: at + 1, End: at + 2}}
	}
	for name, c := range map[string]struct {
		ask    func(m *machine) bool
		answer func(m *machine) event
	}{
		"a look": {
			func(m *machine) bool { _, ok := find[fxProbe](m.step(evTick{})); return ok },
			func(m *machine) event { return evProbed{epoch: m.epoch, err: ErrFenced} },
		},
		"a load": {
			func(m *machine) bool { _, ok := find[fxLoad](m.step(fetched(m))); return ok },
			func(m *machine) event { return evLoaded{epoch: m.epoch, err: ErrFenced} },
		},
	} {
		m, _ := claimed(t, 50, -1, false, stored(t))
		if !c.ask(m) {
			t.Fatalf("%s: the store is not asked", name)
		}
		m.flight, m.dispatched = &cut{to: 51, save: Checkpoint{From: 50, To: 51}}, 51
		m.step(evSaved{epoch: m.epoch})
		fx := m.step(c.answer(m))
		if _, lost := find[fxDrop](fx); lost {
			t.Errorf("%s that its own checkpoint overtook ends the claim", name)
		}
		if _, again := find[fxLoad](fx); again != (name == "a load") {
			t.Errorf("%s: states are loaded again: %v", name, again)
		}
		if name == "a look" && !c.ask(m) {
			t.Error("nobody looks again")
		}
		if _, lost := find[fxDrop](m.step(c.answer(m))); !lost {
			t.Errorf("%s of the same watermark does not end the claim", name)
		}
	}
}
