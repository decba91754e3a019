package live

// past is how many of a key's newest posteriors are worth to be called its past.
const past = 10

// Crowd says that pasts of keys are dropped because those of all keys do not fit in
// the limit of the feed.
type Crowd struct {
	Keys int // that are remembered, with their pasts or without
	// PerKey is the limit in bytes that a key takes with its last ten posteriors, of the
	// size that they have now on average.
	PerKey int64
}

// Needed is the limit in bytes, up to a whole MiB, that would hold the last ten posteriors
// of all these keys; of more keys it is more.
func (c Crowd) Needed() int64 {
	const unit = 1 << 20
	return (int64(c.Keys)*c.PerKey + unit - 1) / unit * unit
}

// Crowded tells whether pasts had to be dropped since the process started, and if so
// what there is now.
func (f *Feed) Crowded() (Crowd, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.crowded {
		return Crowd{}, false
	}
	return f.crowd(), true
}

func (f *Feed) crowd() Crowd {
	if len(f.entries) == 0 {
		return Crowd{}
	}
	points, held := int64(0), int64(0)
	for _, l := range f.order[:hasSums] {
		for id := l.oldest; id != 0 && points < 1000; { // some will do
			e := f.entry(id)
			points, held = points+int64(e.points.Len()), held+e.bytes()
			id = e.newer
		}
	}
	own := f.sums / int64(len(f.entries))
	if points > 0 {
		own += past * held / points
	}
	return Crowd{Keys: len(f.entries), PerKey: own + own*2/5} // keys have the limit less nine 32nds of it, see New
}
