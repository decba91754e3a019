package pipeline

import "testing"

// What was done is not kept by the lists that it was on: with many keys it would be as much again as what is live.
func TestWhatIsDoneIsNotKept(t *testing.T) {
	s := &station{}
	s.put(laneMessage{tasks: make([]task, 1)})
	s.put(laneMessage{tasks: make([]task, 1)})
	waiting := s.queue
	if m, ok := s.next(); !ok || m.tasks == nil || waiting[0].tasks != nil || waiting[1].tasks == nil {
		t.Errorf("after the first of two messages %v wait", waiting)
	}
	l := &lane{tools: &tools{}, dirty: []*entry{{key: "k", state: &keyState{dirty: true, stored: Stored("v")}}}}
	dirty := l.dirty
	if part, err := l.cut(false); err != nil || len(part.changes) != 1 || dirty[0] != nil {
		t.Errorf("after a cut of %v the lane keeps %v (%v)", part.changes, dirty, err)
	}
	m, _ := claimed(t, 50, -1, false, stored(t))
	m.effects = []effect{fxDone{}, fxDone{}}
	before := m.effects
	if fx := m.step(evTick{cache: 1 << 20}); len(fx) > 1 || before[1] != nil {
		t.Errorf("the machine keeps %v beside %v", before, fx)
	}
}
