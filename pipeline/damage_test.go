package pipeline

import (
	"fmt"
	"testing"
)

// Whatever the store is asked, an answer that cannot be right halts the partition: asked
// again it would say the same, and what depends on it must not be published.
func TestDamageHaltsWhoeverFindsIt(t *testing.T) {
	err := fmt.Errorf("load from in/3: %w: meta counts 2 keys, the list holds 1", ErrDamaged)
	for _, ev := range []func(*machine) event{
		func(m *machine) event { return evLoaded{epoch: m.epoch, err: err} },
		func(m *machine) event { return evPublished{epoch: m.epoch, err: err} },
		func(m *machine) event { return evSaved{epoch: m.epoch, err: err} },
		func(m *machine) event { return evMeta{epoch: m.epoch, err: err} },
		func(m *machine) event { return evProbed{epoch: m.epoch, err: err} },
	} {
		m, _ := claimed(t, 50, -1, false, stored(t))
		m.chunk, m.flight = &chunk{}, &cut{to: 51}
		e := ev(m)
		fx := m.step(e)
		if w, ok := find[fxWait](fx); m.halted != "damaged" || m.why != err.Error()+damagedRemedy || !ok || w.wait != waitHalt {
			t.Errorf("%T: halted %q (%s), effects %+v", e, m.halted, m.why, fx)
		}
	}
}
