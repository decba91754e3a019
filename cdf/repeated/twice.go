package repeated

import (
	"math"
	"slices"
)

const (
	prints = 32 // rows that came again that are remembered, the last

	// rowsMatter is the part of a state's rows from which on rows that come again are told of: of rows of which one in 20 comes twice
	// it is .048.
	rowsMatter = .02
	// expected is how many later rows are to be the same as remembered ones, at the least, if those came again by chance, before
	// any is told: that none is has a probability of exp(-15). Each that is the same takes some more.
	expected, perColumns, perResponse = 15, 6, 8
	// errors is how many standard errors fewer sets are taken for than were seen.
	errors = 2
	// leastSets is how many sets of rows that are the same are told of at all.
	leastSets = 8
	// determined is the part of rows with the same columns whose responses are the same, too, where columns tell rows apart.
	determined = .9
	// undecided is how many of them may be missing to that for it to be looked at on.
	undecided = 5
	// common is the part of later rows that may have the response of one that came again.
	common = .05
	// leastShards and manySets are how many it takes where responses alone tell, and moreSets for each set of more than two rows: shards
	// may have levels of their own, and some values be more common.
	leastShards, manySets, moreSets = 10, 40, 20
	// natural is how many times as many sets there are, then, as the unit of the responses explains.
	natural = 10
	// ample is how many are expected, of ampleSets, where the account has enough and halves.
	ample, ampleSets = 200, 100
	// compared is how many rows of a shard are compared with the remembered ones, evenly apart.
	compared = 1000
)

// Twice is what is known of rows that come again within their shard, the same in their response and all columns, since a shard had such:
// of a join that has a row several times, or an append that was tried again.
//
// They may be the same by chance, where responses and columns have few values. Then later shards have them as well: if
// a shard of n rows, drawn from any law, has g values several times, a later row is one of these with a probability of 2g/n² or more (by the
// inequality of Cauchy and Schwarz). Rows that came twice are no more probable than others. Where each shard has levels or
// columns of its own that says nothing; so either the columns must tell rows apart, or the responses be finer than what was seen.
type Twice struct {
	Again float32 // rows that came before in their shard, discounted

	// Of shards since the first, halved when there is enough.
	Sets    float32 // of rows that are the same
	Many    float32 // of them of three rows or more
	Squares float32 // of the numbers of rows
	Natural float32 // sets that responses have by chance which are multiples of a unit
	Found   float32 // rows that came before in their shard
	Alike   float32 // rows whose columns came before in their shard, counted while they are hardly more than Found
	Chances float32 // pairs of a later row and a remembered one, of which
	// these have the same columns, counted while Alike is, and response.
	Columns, Responses float32

	Last   [prints]Row // the newest at Next - 1
	Kept   int32       // of Last
	Next   int32
	Shards int32 // that rows were compared in, up to leastShards
}

// Row is a row that came again: two fingerprints, of its columns and of its response.
type Row struct{ Columns, Response uint32 }

// Part returns which part of as many discounted rows came before in their shard, 0 where that is too little to matter, or may be chance.
func (a *Twice) Part(rows float64) float64 {
	if a == nil {
		return 0
	}
	part := min(float64(a.Again)/rows, 1)
	if !(part >= rowsMatter && a.Sets >= leastSets && (a.byColumns() || a.byResponses())) {
		return 0
	}
	return part
}

// byColumns reports whether rows with the same columns are there only as those that came again.
func (a *Twice) byColumns() bool {
	return a.Alike > 0 && determined*a.Alike <= a.Found && a.expected() >= expected+float64(perColumns*a.Columns) && a.Responses <= common*a.Chances
}

// byResponses reports whether responses are so fine that rows with the same are there only as those that came twice.
func (a *Twice) byResponses() bool {
	return a.Shards >= leastShards && a.Sets >= manySets+float32(moreSets*a.Many) && a.Sets >= natural*a.Natural && a.expected() >= expected+float64(perResponse*a.Responses)
}

// open reports whether columns tell rows apart, as far as is known.
func (a *Twice) open() bool { return determined*a.Alike <= a.Found+undecided }

// expected returns how many of the later rows are the same as remembered ones if these came again by chance, at the least.
func (a *Twice) expected() float64 {
	if a.Squares == 0 {
		return 0
	}
	sets := float64(a.Sets)
	return 2 * max(sets-float64(errors*math.Sqrt(sets)), 0) / float64(a.Squares) * float64(a.Chances)
}

const (
	// Each shard is looked at while a state has fewer rows than these, and one in so many later: a look takes a tenth of the time of an
	// update. Which ones follows from their numbers, in no period that shards may have.
	attentive, oneIn = 5000, 8
)

// Looks says for how many shards the one of that number counts, of a state with so many rows before it: 0, it is not looked at.
func Looks(rows, number int64) int {
	switch {
	case rows < attentive:
		return 1
	case uint64(number)*multiplier < math.MaxUint64/oneIn:
		return oneIn
	}
	return 0
}

// Discount takes in that the state has discounted the rows of before.
func (a *Twice) Discount(forget float64) {
	if a != nil && forget < 1 {
		a.Again = float32(float64(a.Again) * forget)
	}
}

// Add takes in a shard that counts for so many, and returns the account: nil of a key none of
// whose shards had a row twice, and a new one from there on.
func (a *Twice) Add(t *Table, shards int, room *Room) *Twice {
	if len(t.Y) == 0 {
		return a
	}
	part, again := room.find(t, a == nil)
	if again == 0 && a == nil {
		return nil
	}
	if a == nil {
		a = new(Twice)
	}
	n, open := float32(len(t.Y)), a.open()
	if open || again > 0 {
		room.columns = slices.Grow(room.columns[:0], len(t.Y))[:len(t.Y)]
		t.Rows.Columns(room.columns)
	}
	a.Squares += n * n
	a.compare(t.Y, room.columns, open)
	sets := float32(0)
	if again > 0 {
		a.Again += float32(again*shards) / part
		sets = a.take(t.Y, room, part)
	} else {
		room.common = room.common[:0]
	}
	if open {
		l, part := room.alike(t.Y, room.columns)
		a.Alike += float32(l.alike) / part
		a.Found += float32(l.same) / part
	}
	if again > 0 {
		some, columns := room.apart(t.Y)
		l, _ := room.alike(some, columns)
		times := n / float32(len(some))
		a.Natural += min(float32(l.byChance(some))*times*times, sets)
	}
	if a.expected() > ample && a.Sets > ampleSets {
		for _, v := range a.evidence() {
			*v /= 2
		}
	}
	return a
}

// compare counts the rows that are the same as remembered ones.
func (a *Twice) compare(y []float64, columns []uint64, open bool) {
	if a.Kept == 0 {
		return
	}
	var responses, rows filter
	for _, r := range a.Last[:a.Kept] {
		responses.add(r.Response)
		rows.add(r.Columns)
	}
	apart := (len(y) + compared - 1) / compared
	n := 0
	for i := 0; i < len(y); i += apart {
		n++
		if p := printOf(y[i]); responses.has(p) {
			for _, r := range a.Last[:a.Kept] {
				if r.Response == p {
					a.Responses++
				}
			}
		}
		if !open {
			continue
		}
		if p := uint32(columns[i] >> 32); rows.has(p) {
			for _, r := range a.Last[:a.Kept] {
				if r.Columns == p {
					a.Columns++
				}
			}
		}
	}
	a.Chances += float32(n * int(a.Kept))
	a.Shards = min(a.Shards+1, leastShards)
}

// filter has fingerprints by eight bits.
type filter [4]uint64

func (f *filter) add(print uint32)      { f[print>>30] |= 1 << (print >> 24 & 63) }
func (f *filter) has(print uint32) bool { return f[print>>30]>>(print>>24&63)&1 != 0 }

// take remembers the sets that were found, which are a part of all, and returns about how many all are.
func (a *Twice) take(y []float64, room *Room, part float32) float32 {
	sets, many := 0, 0
	for at, others := range room.sets {
		if others == 0 {
			continue
		}
		sets++
		if others > 1 {
			many++
		}
		if sets <= prints {
			i := room.rows[at]
			a.Last[a.Next] = Row{uint32(room.columns[i] >> 32), printOf(y[i])}
			a.Next = (a.Next + 1) % prints
			a.Kept = min(a.Kept+1, prints)
		}
	}
	a.Sets += float32(sets) / part
	a.Many += float32(many) / part
	return float32(sets) / part
}

// printOf returns the fingerprint of a response.
func printOf(y float64) uint32 { return uint32(math.Float64bits(y+0) * multiplier >> 32) }

// evidence are the counts that halve.
func (a *Twice) evidence() [9]*float32 {
	return [...]*float32{&a.Sets, &a.Many, &a.Squares, &a.Natural, &a.Found, &a.Alike, &a.Chances, &a.Columns, &a.Responses}
}
