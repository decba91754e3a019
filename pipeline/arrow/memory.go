package arrow

import "context"

// occupy waits until there is memory for a record of rows rows, if it is a large
// one: for what its compressed buffers say they become, for its columns, and
// for as much again where a model copies them.
func (d *Decoder) occupy(rows int) {
	if d.limits.Memory == nil {
		return
	}
	d.Release()
	p, most := d.plan, expansion*d.limits.Record
	need := min(rows, most) * (8*p.numbers + 8*p.ints + 4*p.texts)
	b, m := d.rest, d.head
	for i := range d.count {
		if i > 0 {
			m, _, _, _ = next(b) // scan has seen them
		}
		b = b[m.size:]
		need += min(declared(m), most)
	}
	if need = 2 * min(need, 2*most); need > keptBytes {
		d.held = int64(need)
		_ = d.limits.Memory.Acquire(context.Background(), d.held) // fails with its context alone
	}
}

// declared is what the compressed buffers of a message say they become.
// Whether they are in order is for reading them to find out.
func declared(m frame) int {
	t, ok := m.head, true
	if m.kind == headerDictionary {
		t, ok = m.meta.sub(t, 1)
	}
	if _, packed := m.meta.sub(t, 3); !ok || !packed {
		return 0
	}
	r, err := readRecord(&m.meta, t, m.body)
	if err != nil {
		return 0
	}
	sum := 0
	for i := range len(r.buffers) / 16 {
		if b := r.buffer(i); len(b) >= 8 && int64(le.Uint64(b)) != asItIs {
			sum += int(min(le.Uint64(b), 1<<40))
		}
	}
	return sum
}

// Release implements pipeline.Decoder: the buffers of a large record go with it.
func (d *Decoder) Release() (large bool) {
	if d.held == 0 {
		return false
	}
	d.floats, d.ints, d.codes = arena[float64]{}, arena[int64]{}, arena[int32]{}
	d.batch.Columns, d.columns, d.levels, d.dicts, d.inflate.rooms = nil, nil, nil, nil, nil
	d.limits.Memory.Add(-d.held)
	d.held = 0
	return true
}
