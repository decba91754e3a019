package pipeline

import "testing"

// Trace has the recomputer's lane trace, as a worker's does.
func (c *Recomputer) Trace(t *Traces) { c.lane.traces = t }

// Watch has the recomputer's lane make points for an observer, and lay posteriors out in pages of so many
// bytes, as a worker's does.
func (c *Recomputer) Watch(page int) {
	c.lane.watched, c.lane.pages = true, Pages{pool: &pagePool{size: page}}
}

// Points returns the points of the record that was applied last.
func (c *Recomputer) Points() (points []*Point) {
	points, c.lane.notes = c.lane.notes, nil
	return points
}

// Sent says that all outputs so far are sent: others may be written over them.
func (c *Recomputer) Sent() {
	pages := c.lane.pages.cut()
	pages.giveUp()
}

// TestNoSpanCostsNothing: a record that is not traced allocates nothing for it, with a
// tracer and without.
func TestNoSpanCostsNothing(t *testing.T) {
	r := &Record{Headers: []Header{{Key: "traceparent", Value: []byte("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")}}}
	for name, traces := range map[string]*Traces{"none": nil, "off": {}} {
		done := &task{record: r}
		if n := testing.AllocsPerRun(100, func() {
			s := traces.record(Partition{Topic: "in"}, r)
			s.step("decode")(nil)
			s.end(done, nil)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	off := &checkpoints{Traces: &Traces{}}
	tasks, outputs := []task{{record: r}}, []Output{{}}
	if n := testing.AllocsPerRun(100, func() {
		off.applied(tasks)
		off.begin(1)
		w := off.sending(outputs)
		w.begin()
		w.end(nil)
		off.saving(1).end(nil)
		off.end("")
		off.dropped()
		off.received(Partition{}, off.span.Start, &Fetched{Records: []Record{*r}})
	}); n != 0 {
		t.Errorf("a checkpoint: %v allocations", n)
	}
}
