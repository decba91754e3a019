package live

import "github.com/credence-stream/credence/cdf"

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
	type shard struct {
		t, time int64
		score   cdf.Score
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, e := f.find(key)
	if e == nil || !f.owned(e.partition) {
		return nil, false, e != nil
	}
	var scored []shard
	f.heads(e, func(p *Point) bool {
		if p.Score.Rows > 0 {
			scored = append(scored, shard{p.T, p.Time, p.Score})
		}
		return true
	})
	n = min(n, len(scored))
	for i := range n {
		part := scored[i*len(scored)/n : (i+1)*len(scored)/n]
		first, last := part[0], part[len(part)-1]
		w := Window{From: first.t, To: last.t, FromTime: first.time, ToTime: last.time}
		for j := range part {
			w.Sums.add(&part[j].score)
		}
		list = append(list, w)
	}
	return list, true, true
}
