package live

import (
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// Sums adds up how well shards were predicted before they were absorbed.
type Sums struct {
	Keys         int64 // with a scored row; of one key not counted
	Shards       int64 // with a scored row
	Rows         int64 // scored
	PIT          [cdf.PITBins]int64
	counted      int64   // rows that PIT has
	logs         float64 // sum over rows of the log density
	squares      float64 // of the residuals
	logRows      int64   // rows that have a log density
	residualRows int64
}

func (s *Sums) add(sc *cdf.Score) {
	if sc.Rows == 0 {
		return
	}
	s.Shards++
	s.Rows += sc.Rows
	for i, n := range sc.PIT {
		s.PIT[i] += int64(n)
		s.counted += int64(n)
	}
	if !math.IsNaN(sc.LogDensity) {
		s.logs += sc.LogDensity * float64(sc.Rows)
		s.logRows += sc.Rows
	}
	if !math.IsNaN(sc.RMSE) {
		s.squares += sc.RMSE * sc.RMSE * float64(sc.Rows)
		s.residualRows += sc.Rows
	}
}

func (s *Sums) join(o *Sums) {
	s.Keys += o.Keys
	s.Shards += o.Shards
	s.Rows += o.Rows
	s.counted += o.counted
	s.logs += o.logs
	s.logRows += o.logRows
	s.squares += o.squares
	s.residualRows += o.residualRows
	for i, n := range o.PIT {
		s.PIT[i] += n
	}
}

// covered95 returns the number of rows inside their central 95 % interval.
func (s *Sums) covered95() int64 { return s.counted - s.PIT[0] - s.PIT[cdf.PITBins-1] }

// Coverage95 returns the share of rows inside their central 95 % interval, NaN
// before the first.
func (s *Sums) Coverage95() float64 { return float64(s.covered95()) / float64(s.counted) }

// LogDensity returns the mean over rows, NaN where there is none.
func (s *Sums) LogDensity() float64 { return s.logs / float64(s.logRows) }

// RMSE returns the root of the mean square over rows, NaN where there is none.
func (s *Sums) RMSE() float64 { return math.Sqrt(s.squares / float64(s.residualRows)) }

// Coverage is how often central intervals held the value, and how often those
// of a calibrated model do.
type Coverage struct {
	Nominal, Share, Low, High float64
}

// Coverage returns coverages at .5, .8, .9 and .95, nothing before the first
// row.
func (s *Sums) Coverage() []Coverage {
	if s.counted == 0 {
		return nil
	}
	var out []Coverage
	for _, nominal := range [...]float64{.5, .8, .9, .95} {
		side := int(math.Round((1 - nominal) / 2 * cdf.PITBins)) // bins left out on a side
		covered := int64(0)
		for _, n := range s.PIT[side : cdf.PITBins-side] {
			covered += n
		}
		n := float64(s.counted)
		c := Coverage{Nominal: nominal, Share: float64(covered) / n}
		c.Low = float64(binomialQuantile(s.counted, nominal, tail)) / n
		c.High = float64(binomialQuantile(s.counted, nominal, 1-tail)) / n
		out = append(out, c)
	}
	return out
}

// tail is what a 99 % band leaves out on a side.
const tail = .005

// binomialCDF returns P(X <= k) of n trials with probability p.
func binomialCDF(k, n int64, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	return binomialLaw(float64(k), float64(n), p)
}

// binomialLaw is the distribution function between whole numbers too, 0 <= k < n.
func binomialLaw(k, n, p float64) float64 { return mathext.RegIncBeta(n-k, k+1, 1-p) }

// binomialQuantile returns the least k with P(X <= k) >= q.
func binomialQuantile(n int64, p, q float64) int64 {
	lo, hi := int64(0), n
	for lo < hi {
		if mid := lo + (hi-lo)/2; binomialCDF(mid, n, p) >= q {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// score adds a shard's score to the sums of its key, of which so much was told, and of its kind,
// and returns what is inside.
func (f *Feed) score(e *entry, o *pipeline.Point, told []byte) inside {
	_, sums, in := readSums(told)
	if o.Score.Rows == 0 {
		return in
	}
	k := f.kind(e.partition, o.Kind)
	if !e.scored {
		e.scored = true
		k.Keys++
	}
	sums.add(&o.Score)
	in.add(o)
	k.add(&o.Score)
	f.tell(e, o.Key, &sums, in)
	return in
}

// kind returns the sums of a kind in a partition.
func (f *Feed) kind(partition int32, kind string) *Sums {
	if f.kinds[partition] == nil {
		f.kinds[partition] = map[string]*Sums{}
	}
	s := f.kinds[partition][kind]
	if s == nil {
		s = new(Sums)
		f.kinds[partition][kind] = s
	}
	return s
}

// Calibration returns the sums of a key in a partition that this process works
// on. Known is false where the feed has nothing of the key.
func (f *Feed) Calibration(key string) (s Sums, owned, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, e := f.find(key)
	if e == nil {
		return Sums{}, false, false
	}
	if !f.owned(e.partition) {
		return Sums{}, false, true
	}
	_, s, _ = f.sumsOf(e)
	return s, true, true
}

// Across returns the sums of all keys of partitions that this process works
// on, by kind. With a prefix only keys that begin with it and are still
// remembered count; kind, where not empty, is the only one.
func (f *Feed) Across(prefix, kind string) map[string]*Sums {
	out := map[string]*Sums{}
	at := func(k string) *Sums {
		if out[k] == nil {
			out[k] = new(Sums)
		}
		return out[k]
	}
	if prefix == "" {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, p := range slices.Sorted(maps.Keys(f.kinds)) { // in one order: sums are rounded
			for k, s := range f.kinds[p] {
				if f.owned(p) && (kind == "" || k == kind) && s.Rows > 0 {
					at(k).join(s)
				}
			}
		}
		return out
	}
	f.each(func(e *entry) {
		if of := f.words.get(e.kind)[0]; e.scored && (kind == "" || kind == of) {
			if key, own, _ := f.sumsOf(e); strings.HasPrefix(string(key), prefix) {
				s := at(of)
				s.join(&own)
				s.Keys++
			}
		}
	})
	return out
}

// Together returns the sum of all.
func Together(kinds map[string]*Sums) Sums {
	var all Sums
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		all.join(kinds[k])
	}
	return all
}
