package repeated

const (
	prints = 32 // rows that came again that are remembered, the last

	// rowsMatter is the part of a state's rows from which on rows that come again are told of: of rows of which one in 20 comes twice
	// it is .048.
	rowsMatter = .02
	// expected is how many later rows are to be the same as the remembered ones, at the least, if those came again by chance, before
	// any is told: that none is has a probability of exp(-15). Each that is the same takes eight more.
	expected, perSame = 15, 8
	perColumns        = 4
	compared          = 1000
	// leastSets is how many sets of rows that are the same are told of at all.
	leastSets = 8
	// determined is the part of rows with the same columns whose responses are the same, too, where columns tell rows apart.
	determined = .9
	// common is the part of later rows that may have the response of one that came again.
	common = .05
	// manifold is the part of sets of more than two rows from which on responses alone do not tell: some values are more common.
	manySets, manifold = 40, 20
	// leastShards is how many it takes to believe that others have the same responses.
	leastShards = 10
	// natural is how many times as many sets as the unit of the responses explains there are.
	natural = 8
	// ample is how many are expected where the account has enough and halves.
	ample, ampleSets = 200, 100
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
	return a.Shards >= leastShards && a.Sets >= manySets+manifold*a.Many && a.Sets >= natural*a.Natural && a.expected() >= expected+float64(perSame*a.Responses)
}

// open reports whether columns tell rows apart, as far as is known.
func (a *Twice) open() bool { return determined*a.Alike <= a.Found+5 }

// expected returns how many of the later rows are the same as remembered ones if these came again by chance, at the least.
func (a *Twice) expected() float64 {
	if a.Squares == 0 {
		return 0
	}
	return 2 * float64(a.Sets) / float64(a.Squares) * float64(a.Chances)
}

// Add takes in a shard, whose state has discounted the rows before it, and returns the account: nil of a key none of
// whose shards had a row twice, and a new one from there on.
func (a *Twice) Add(t *Table, forget float64, room *Room) *Twice {
	if a != nil && forget < 1 {
		a.Again = float32(float64(a.Again) * forget)
	}
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
	a.Squares += n * n
	a.compare(t, open)
	sets := 0.
	if again > 0 {
		a.Again += float32(again) / part
		sets = a.take(t, room, part)
	} else {
		room.common = room.common[:0]
	}
	if open || again > 0 {
		l := room.alike(t)
		if open {
			a.Alike += float32(l.alike) / part
			a.Found += float32(l.same) / part
		}
		if again > 0 {
			a.Natural += float32(min(l.byChance(t.Y), sets)) / part
		}
	}
	if a.expected() > ample && a.Sets > ampleSets {
		for _, v := range a.evidence() {
			*v /= 2
		}
	}
	return a
}

// compare counts the rows that are the same as remembered ones.
func (a *Twice) compare(t *Table, open bool) {
	if a.Kept == 0 {
		return
	}
	var some [4]uint64 // of the fingerprints of responses, by eight bits
	for _, r := range a.Last[:a.Kept] {
		some[r.Response>>30] |= 1 << (r.Response >> 24 & 63)
	}
	apart := (len(t.Y) + compared - 1) / compared
	rows := 0
	for i := 0; i < len(t.Y); i += apart {
		rows++
		if p := printOf(t.Y[i]); some[p>>30]>>(p>>24&63)&1 != 0 {
			for _, r := range a.Last[:a.Kept] {
				if r.Response == p {
					a.Responses++
				}
			}
		}
		if open {
			p := t.Rows.Columns(t.at(int32(i))).Print()
			for _, r := range a.Last[:a.Kept] {
				if r.Columns == p {
					a.Columns++
				}
			}
		}
	}
	a.Chances += float32(rows * int(a.Kept))
	a.Shards = min(a.Shards+1, leastShards)
}

// take remembers the sets that were found, which are a part of all.
func (a *Twice) take(t *Table, room *Room, part float32) float64 {
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
			a.Last[a.Next] = Row{t.Rows.Columns(t.at(i)).Print(), printOf(t.Y[i])}
			a.Next = (a.Next + 1) % prints
			a.Kept = min(a.Kept+1, prints)
		}
	}
	a.Sets += float32(sets) / part
	a.Many += float32(many) / part
	return float64(sets)
}

func printOf(y float64) uint32 { return Hash(0).Number(y + 0).Print() }

// evidence are the counts that halve.
func (a *Twice) evidence() [9]*float32 {
	return [...]*float32{&a.Sets, &a.Many, &a.Squares, &a.Natural, &a.Found, &a.Alike, &a.Chances, &a.Columns, &a.Responses}
}
