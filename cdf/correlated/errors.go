// Package correlated tells whether rows that come together have errors in common: those of a
// day, a batch or a machine, or of a time series whose noise lasts. A model of independent
// rows then counts more evidence than there is, and its intervals are too short, while each
// row lies in its predictive distribution as it should.
package correlated

const (
	// block is the least number of rows that are judged together: shards of fewer wait for
	// those after them.
	block = 4
	// leastRows is how many rows tell the mean and the variance of scores.
	leastRows = 50

	// A block's statistic is 1 in the mean and, but for chance, chi-square with one degree
	// of freedom. The cumulative sum is above the alarm once in some 100,000 blocks.
	slack    = 1.5 // that it may be for nothing
	furthest = 10. // that counts of a block, so that one is no alarm
	alarm    = 28.
)

// Errors is what is known of the errors that rows have in common. Scores of rows are normal
// scores of their probability integral transforms.
type Errors struct {
	Sum float32 // one-sided cumulative sum over blocks (Page 1954), at most 1.5 alarms
	// Of the rows of a block that is not complete:
	Rows   int32
	Scores float32 // their sum
	Shared float32 // sum of the parts of their variances that they share
}

// Shard is what a shard adds.
type Shard struct {
	Rows   int
	Scores float64 // sum
	// Shared is the part of a row's predictive variance that is the error of the state,
	// which the rows may have in common, in (0, 1]; 0 where it is not known: then the shard
	// is not judged.
	Shared float64
}

// Past is what the scores of rows before tell.
type Past struct {
	Rows           float64 // independent ones
	Mean, Variance float64 // of a score
}

// Add takes in a shard. Of a block of n rows the sum of scores, less n of the mean that they
// have had, has the variance v n (1 + (n-1) r) where a pair has the correlation r. A model
// knows that of its own error, at most: no pair shares more than the mean of what both have.
// Deviations from the mean of the past make nothing of predictions that are all too high.
func (e *Errors) Add(s Shard, past Past) {
	if s.Rows == 0 || !(s.Shared > 0 && s.Shared <= 1 && past.Rows >= leastRows && past.Variance > 0) {
		return
	}
	e.Rows += int32(s.Rows)
	e.Scores += float32(s.Scores)
	e.Shared += float32(float64(s.Rows) * s.Shared)
	if e.Rows < block {
		return
	}
	n := float64(e.Rows)
	off := float64(e.Scores) - float64(n*past.Mean)
	inflation := 1 + float64(e.Shared)*(n-1)/n + n/past.Rows
	statistic := off * off / (n * past.Variance * inflation)
	sum := min(max(float64(e.Sum)+min(statistic, furthest)-slack, 0), 1.5*alarm)
	*e = Errors{Sum: float32(sum)}
}

// Correlated reports whether rows have errors in common.
func (e *Errors) Correlated() bool { return e.Sum > alarm }

// Valid reports whether Add can have left this.
func (e *Errors) Valid() bool {
	waiting := e.Rows > 0 && e.Rows < block && e.Shared >= 0 && e.Shared <= float32(e.Rows)
	return e.Sum >= 0 && e.Sum <= 1.5*alarm && (waiting || e.Rows == 0 && e.Scores == 0 && e.Shared == 0)
}
