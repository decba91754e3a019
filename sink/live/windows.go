package live

// Window is how well consecutive shards of a key were predicted.
type Window struct {
	From, To         int64 // shards, the last one included
	FromTime, ToTime int64 // of their input records, milliseconds since 1970
	Sums             Sums
}

// Windows parts the published shards of a key that are remembered and were scored into
// at most n runs of as many shards each, one more in the newer ones; owned and
// known as for History.
func (f *Feed) Windows(key string, n int) (list []Window, owned, known bool) {
	h, known := f.History(key, keyBytes) // no point is smaller than a byte
	scored := h.Points[:0]
	for _, p := range h.Points {
		if p.Score.Rows > 0 {
			scored = append(scored, p)
		}
	}
	n = min(n, len(scored))
	for i := range n {
		part := scored[i*len(scored)/n : (i+1)*len(scored)/n]
		first, last := part[0], part[len(part)-1]
		w := Window{From: first.T, To: last.T, FromTime: first.Time, ToTime: last.Time}
		for _, p := range part {
			w.Sums.add(&p.Score)
		}
		list = append(list, w)
	}
	return list, h.Owned, known
}
