package live

import "time"

// window is how many seconds speed looks back.
const window = 10

// speed counts what was absorbed in the last seconds.
type speed struct {
	second int64 // of the newest bucket, since 1970
	rows   [window + 1]int64
	shards [window + 1]int64
}

// move empties the buckets of the seconds that have passed since. After a clock that was set back by more
// than it looks back it begins anew: it would tell of nothing until the clock is there again.
func (s *speed) move(now time.Time) {
	at := now.Unix()
	if at < s.second-window {
		*s = speed{second: at}
	}
	for n := min(at-s.second, window+1); n > 0; n-- {
		i := (at - n + 1) % (window + 1)
		s.rows[i], s.shards[i] = 0, 0
	}
	s.second = max(s.second, at)
}

func (s *speed) add(now time.Time, rows int64) {
	s.move(now)
	i := s.second % (window + 1)
	s.rows[i] += rows
	s.shards[i]++
}

// over returns rows and shards per second of the last ten whole seconds.
func (s *speed) over(now time.Time) (rows, shards float64) {
	s.move(now)
	for i := range s.rows {
		if int64(i) != s.second%(window+1) {
			rows += float64(s.rows[i])
			shards += float64(s.shards[i])
		}
	}
	return rows / window, shards / window
}
