package pipeline

import (
	"math"
	"strings"
	"time"

	"github.com/credence-stream/credence/cdf"
)

// Observer is told what a worker does, by one goroutine per partition that
// must not be held up: it takes what it is given and returns.
type Observer interface {
	// Saved is told of the shards and deletions of a partition that a
	// checkpoint covers, after the store has acknowledged it, in the order of
	// their offsets. What was told before comes again when the store has lost
	// checkpoints and their records are applied anew.
	Saved(p Partition, points []*Point)
	// State is told of a partition where it stands, whenever that changes, and
	// that an assignment has ended (PhaseGone).
	State(p Partition, s State)
	// Event is told of what an operator may want to know.
	Event(e Event)
}

// mostNumbers bounds the variables of a point.
const mostNumbers = 64

// Point is what a shard made of a key's posterior, in short, or that the key
// was deleted. It never changes.
type Point struct {
	Key           string
	Kind, Variant string
	Partition     int32
	Offset        int64
	Time          int64 // of the input record, milliseconds since 1970
	T, N          int64
	Rows          int64 // absorbed of this shard
	NEff          float64
	Score         cdf.Score // with the transforms of the rows scored
	Weight        float64   // that each of these counts for (cdf.Filter.RowWeight)
	// Deleted says that the key has no posterior any more, Dead at what stage
	// the record became a dead letter: of such points nothing but key,
	// partition, offset and time is set.
	Deleted bool
	Dead    Stage
	// Published says that the shard's posterior went to the output topic; of
	// others only the score and the counts are told.
	Published bool
	// Variables is the number of variables of the posterior, of which the first
	// 64 are in Names.
	Variables int
	Names     []string // shared with other points
	// Numbers has len(cdf.RowColumns) numbers per name, in that order.
	Numbers        []float64
	Weak           bool    // some variables mix weakly
	PriorDominated bool    // some variables are dominated by the prior
	Flagged        bool    // the model raises a flag
	MinESS         float64 // least bulk or tail ESS of all variables, 0 without draws
	// Observed are the first rows of the shard beside what was predicted of them, at
	// most mostObserved.
	Observed []cdf.Observed
	Given    Given // of the rows of Observed
}

// mostObserved bounds the rows of a point: a chart of the newest shards needs few of each.
const mostObserved = 8

// Points tell of rows of the first shards of a key, then of every fourth while it has few, and
// of one of leastObserved in any case. Where a key's shards come a second apart they tell of all while it has
// few, and then of every fourth. To predict rows a second time and to keep them costs a third
// of a small shard, and a chart shows the newest.
const (
	allObserved   = 16
	fewShards     = 32
	someObserved  = 4
	leastObserved = 32
	observedPause = 1. // seconds
)

// rowsObserved returns how many rows a point tells of after t shards of a key, the last one with
// rows so many seconds ago.
func rowsObserved(t int64, ago float64) int {
	few, fourth, apart := t < fewShards, t%someObserved == 0, ago >= observedPause
	if t < allObserved || t%leastObserved == 0 || few && fourth || (few || fourth) && apart {
		return mostObserved
	}
	return 0
}

// observedSize is what a row of Observed holds.
const observedSize = 80

// Size returns the bytes held, names aside, which points share.
func (p *Point) Size() int64 {
	return pointOverhead + int64(len(p.Key)+8*len(p.Numbers)+observedSize*len(p.Observed)) + p.Given.size()
}

// NamesSize returns the bytes that the names hold.
func (p *Point) NamesSize() int64 {
	n := 0
	for _, name := range p.Names {
		n += 16 + len(name)
	}
	return int64(n)
}

// pointOverhead is what a point holds beside its key and numbers.
const pointOverhead = 464

// pointOf copies what a point tells of a shard. Names are those of the key's
// point before, taken over where they are the same.
func (r *pointRoom) pointOf(p *Posterior, names []string, pit cdf.Transforms, weight float64, rows int64, published bool) *Point {
	s := p.Summary
	o := r.point()
	*o = Point{
		Key: p.Key, Kind: p.Kind, Variant: p.Variant,
		Partition: p.Source.ID, Offset: p.Offset, Time: p.Time,
		T: s.T, N: s.N, Rows: rows, NEff: s.NEff, Score: s.Score, Published: published,
	}
	o.Score.PIT, o.Weight = pit, weight
	if !published {
		return o
	}
	o.Names = names
	list := s.Rows
	o.Variables = len(list)
	for i := range list {
		for _, e := range [...]float64{list[i].ESSBulk, list[i].ESSTail} {
			if !math.IsNaN(e) && (o.MinESS == 0 || e < o.MinESS) {
				o.MinESS = e
			}
		}
	}
	list = list[:min(len(list), mostNumbers)]
	same := len(names) == len(list)
	for i := 0; same && i < len(list); i++ {
		same = names[i] == list[i].Variable
	}
	if !same {
		o.Names = make([]string, len(list))
		for i := range list {
			o.Names[i] = list[i].Variable
		}
	}
	o.Numbers = r.take(len(list) * len(cdf.RowColumns))
	for i := range list {
		o.Numbers = list[i].AppendNumbers(o.Numbers)
	}
	o.Weak, o.PriorDominated, o.Flagged = len(s.WeakMixing) > 0, len(s.PriorDominated) > 0, len(s.Flags) > 0
	return o
}

// Phase says what becomes of a partition's records.
type Phase string

// The phases of a partition that this process works on; PhaseGone is the end
// of that.
const (
	PhaseStarting Phase = "starting"
	PhaseRunning  Phase = "running"
	PhaseWaiting  Phase = "waiting"
	PhaseHalted   Phase = "halted"
	PhaseGone     Phase = "gone"
)

// State is where a partition stands.
type State struct {
	Phase      Phase
	Reason     string    // of a halt, as a metric's label
	Why        string    // what is waited for, or what to do
	Owner      string    // first 8 characters of the claim's token; empty before the first
	Generation int32     // of the consumer group
	Watermark  int64     // next offset to apply after the last checkpoint, -1 before the claim
	End        int64     // of the log, as last heard; -1 before the claim
	Saved      time.Time // of the last checkpoint of this assignment, zero: none
}

// The kinds of events.
const (
	EventClaimed    = "claimed"
	EventReleased   = "released"
	EventFenced     = "fenced"
	EventRolledBack = "rolled back"
	EventHalted     = "halted"
	EventResumed    = "resumed"
	EventWaiting    = "waiting"
)

// Event is one event in the life of a partition.
type Event struct {
	Time      time.Time
	Kind      string
	Partition Partition
	Message   string
}

// mostGiven bounds the inputs that observed rows are kept with: those of a wider model
// would take more than the rows.
const mostGiven = 12

// Given is what rows had beside their response, in the units of the record.
type Given struct {
	Names []string // of the inputs; shared with other points
	// Numbers are rows x inputs, row by row, NaN where the input is a label or missing.
	Numbers []float64
	// Labels are the same, "" where the input is a number or missing; nil: no row has one.
	Labels []string
}

// givenOf returns the inputs of observed rows of a batch, which it copies; none of a model
// with more than mostGiven of them. Names are those of the point before, taken over where
// they are the same.
func (r *pointRoom) givenOf(inputs []cdf.Input, b *cdf.Batch, rows []cdf.Observed, names []string) (g Given) {
	var from [mostGiven]*cdf.Column
	var label [mostGiven]bool
	n, same := 0, true
	for i := range inputs {
		in := &inputs[i]
		if in.Role == "response" || in.Role == "time" {
			continue
		}
		for c := range b.Columns {
			if b.Columns[c].Name != in.Name {
				continue
			}
			if n == mostGiven {
				return Given{}
			}
			same = same && n < len(names) && names[n] == in.Name
			from[n], label[n] = &b.Columns[c], in.Category
			n++
		}
	}
	if len(rows) == 0 || n == 0 {
		return Given{}
	}
	if g.Names = names; !same || len(names) != n {
		g.Names = make([]string, n)
		for i := range g.Names {
			g.Names[i] = from[i].Name
		}
	}
	g.Numbers = r.take(len(rows) * n)
	for _, o := range rows {
		for i, c := range from[:n] {
			v := math.NaN()
			switch {
			case label[i] && c.Type != cdf.Float:
				if text, _ := c.Label(int(o.Row)); text != "" {
					if g.Labels == nil {
						g.Labels = make([]string, len(rows)*n)
					}
					g.Labels[len(g.Numbers)] = strings.Clone(text)
				}
			case !label[i] && c.Type != cdf.Text:
				v = c.Number[o.Row]
			}
			g.Numbers = append(g.Numbers, v)
		}
	}
	return g
}

// size is the bytes held.
func (g *Given) size() int64 {
	n := int64(8*len(g.Numbers) + 16*(len(g.Names)+len(g.Labels)))
	for _, names := range [...][]string{g.Names, g.Labels} {
		for _, s := range names {
			n += int64(len(s))
		}
	}
	return n
}

// Row returns the numbers and labels of a row, one of each for every name; nothing of no
// rows, and no labels where no row has one.
func (g *Given) Row(i int) (numbers []float64, labels []string) {
	n := len(g.Names)
	if n == 0 {
		return nil, nil
	}
	if g.Labels != nil {
		labels = g.Labels[i*n : (i+1)*n]
	}
	return g.Numbers[i*n : (i+1)*n], labels
}
