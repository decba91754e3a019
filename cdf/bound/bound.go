// Package bound tells whether many responses are exactly the least or the greatest value, as if they were cut off there: spending that
// is never below 0, a limit of detection, a score of at most 100. A model of measurements takes such rows for what the others would be there,
// and its slopes are too flat.
//
// Of a law with a density no two rows are equal, and of a rounded one they are near its ends as often as elsewhere, or less often. So the rows
// at an end are compared with those at the value beside it, and with how often one of the other rows is equal to the one before.
package bound

import "math"

// Account is what is known of the responses since a shard had its least or its greatest value several times.
type Account struct {
	Rows float32 // fading
	// Between are the rows between both ends, Equal those of them that are equal to the one before.
	Between, Equal float32
	Last           float64 // of the rows between, infinite where there is none
	Ends           [2]End  // of the least values, and of the greatest
}

// End are the two values at one end, Next being further inside, with their rows. An infinite value is none.
type End struct {
	Value, Next  float64
	Rows, Beside float32
}

const (
	// recalled is about how many rows an account holds: more fade.
	recalled = 20_000
	// most is about how many rows of a shard are looked at, evenly apart.
	most = 200
	// few are looked at all where no account has begun.
	few = 50
	// begins is how often a shard has one of its extremes for an account to begin.
	begins = 3
	// leastPart is what part of all rows at an end is told: a slope is too flat by about as much.
	leastPart = .01
	// outstanding is how many times as many they are as rows at the value beside, and as rows that are equal to another by chance, of which there
	// may be as many standard errors more than were seen.
	outstanding, errors = 3, 3
)

// Add takes in the responses of a shard, of which NaN is none, and returns the account. Of a key none of whose shards
// had an extreme several times that is nil, and a new one from there on.
func (a *Account) Add(y []float64) *Account {
	apart := (len(y) + most - 1) / most
	if a == nil && !repeats(y, apart) {
		return nil
	}
	if a == nil {
		a = &Account{Last: math.Inf(1), Ends: [2]End{none(1), none(-1)}}
	}
	rows := 0
	for i := 0; i < len(y); i += apart {
		if v := y[i]; !math.IsNaN(v) {
			a.add(v)
			rows++
		}
	}
	a.Rows += float32(rows)
	if a.Rows > recalled {
		by := recalled / a.Rows
		for _, v := range a.counts() {
			*v *= by
		}
	}
	return a
}

// none is an end without rows, of the least values, or with -1 of the greatest.
func none(side int) End { return End{Value: math.Inf(side), Next: math.Inf(side)} }

// repeats reports whether one of the extremes of the rows is there several times. In most keys none ever is: of more than a few rows every other
// one is looked at.
func repeats(y []float64, apart int) bool {
	if len(y) > few {
		apart *= 2
	}
	least, greatest, low, high := math.Inf(1), math.Inf(-1), 0, 0
	for i := 0; i < len(y); i += apart {
		v := y[i]
		if v <= least {
			if v < least {
				least, low = v, 0
			}
			low++
		}
		if v >= greatest {
			if v > greatest {
				greatest, high = v, 0
			}
			high++
		}
	}
	return max(low, high) >= begins
}

// add takes in a row.
func (a *Account) add(v float64) {
	low, high := &a.Ends[0], &a.Ends[1]
	if low.Next < v && v < high.Next { // as most are
		a.between(v)
		return
	}
	low.take(v, 1)
	high.take(v, -1)
	if v != low.Value && v != high.Value {
		a.between(v)
	}
}

// take takes in a row at an end of the least values, where side is 1, or with -1 of the greatest.
func (e *End) take(v, side float64) {
	switch at, value, next := side*v, side*e.Value, side*e.Next; {
	case at < value:
		*e = End{Value: v, Next: e.Value, Rows: 1, Beside: e.Rows}
	case at == value:
		e.Rows++
	case at < next:
		e.Next, e.Beside = v, 1
	case at == next:
		e.Beside++
	}
}

func (a *Account) between(v float64) {
	a.Between++
	if v == a.Last {
		a.Equal++
	}
	a.Last = v
}

// Piled returns the end at which more rows are than a law with a density has there, or a rounded one, nil: neither. Of both it is the one with more.
func (a *Account) Piled() (at *End) {
	if a == nil {
		return nil
	}
	for i := range a.Ends {
		if e := &a.Ends[i]; a.piled(e) && (at == nil || e.Rows > at.Rows) {
			at = e
		}
	}
	return at
}

func (a *Account) piled(e *End) bool {
	rows, all := float64(e.Rows), float64(a.Rows)
	return rows >= float64(leastPart*all) && rows >= outstanding*likely(e.Beside) &&
		float64(rows*float64(a.Between)) >= float64(outstanding*likely(a.Equal)*all)
}

// likely is how many rows there may be where as many were seen.
func likely(seen float32) float64 {
	return float64(seen) + float64(errors*math.Sqrt(float64(seen)+1))
}

// counts are the numbers of rows.
func (a *Account) counts() [7]*float32 {
	return [...]*float32{&a.Rows, &a.Between, &a.Equal, &a.Ends[0].Rows, &a.Ends[0].Beside, &a.Ends[1].Rows, &a.Ends[1].Beside}
}
