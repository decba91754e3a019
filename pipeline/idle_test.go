package pipeline

import "testing"

// TestIdlePartitionSavesAtOnce: a partition whose log has nothing more is saved
// without waiting for the interval; one that has more, or just saved, is not.
func TestIdlePartitionSavesAtOnce(t *testing.T) {
	for _, c := range []struct {
		name         string
		end          int64 // of the log
		rested, save bool
	}{
		{"the log has nothing more", 51, true, true},
		{"the log has more", 52, true, false},
		{"it has just saved", 51, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, fx := claimed(t, 50, -1, false, stored(t))
			if w, ok := find[fxWait](fx); !ok || w.wait != waitPause {
				t.Fatalf("a claim asks for %+v, want a pause", fx)
			}
			if c.rested {
				m.step(evTimer{m.epoch, waitPause})
			}
			m.step(evFetched{epoch: m.epoch, got: Fetched{Records: []Record{{Offset: 50, Key: []byte("k"), Value: []byte("v")}}, Next: 51, End: c.end}})
			work, ok := find[fxApply](m.step(evLoaded{epoch: m.epoch, values: []Stored{nil}}))
			if !ok {
				t.Fatal("the record does not go to a lane")
			}
			_, saves := find[fxBarrier](m.step(evApplied{m.epoch, work.tasks}))
			if saves != c.save {
				t.Fatalf("a checkpoint: %v, want %v", saves, c.save)
			}
			if _, saves = find[fxBarrier](m.step(evTick{})); saves == c.save {
				t.Error("a checkpoint does not come once, at the interval at the latest")
			}
		})
	}
}

// TestPauseIsNotMadeLonger: a checkpoint that was due leaves the pause as it is, so
// that under any load one timer runs, and it ends.
func TestPauseIsNotMadeLonger(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	m.flight = &cut{to: 50, save: Checkpoint{From: 50, To: 50}}
	if w, ok := find[fxWait](m.step(evSaved{epoch: m.epoch})); ok {
		t.Errorf("a pause is under way and the machine asks for %+v", w)
	}
	m.step(evTimer{m.epoch, waitPause})
	m.flight = &cut{to: 50, save: Checkpoint{From: 50, To: 50}}
	if w, ok := find[fxWait](m.step(evSaved{epoch: m.epoch})); !ok || w.wait != waitPause {
		t.Errorf("after the checkpoint the machine asks for %+v, want a pause", w)
	}
}
