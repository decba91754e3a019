package pipeline

import (
	"fmt"
	"strings"
	"time"

	"github.com/credence-stream/credence/pipeline/gather"
)

// Plan is one schedule: what is written when, what fails when, and how the
// workers are set up. Delays are drawn from the seed as the run goes. A plan is
// all that a run depends on, so that it can be replayed, and shrunk by leaving
// parts out.
type Plan struct {
	Seed      uint64
	Log       []Arrival
	Faults    []Fault
	Lanes     int
	Records   int   // of a cut
	Bytes     int64 // of a cut
	Backlog   int64 // record bytes fetched ahead
	Cache     int64
	Fetch     int // records that one fetch may return
	SkipGap   bool
	Origin    int64 // one above where the group is told to begin, 0: nowhere
	Interval  time.Duration
	MinPause  time.Duration
	Delay     time.Duration // of a message on the network, at most
	Cost      time.Duration // of a record at a lane, about
	Gather    gather.Rule   // of the rows of a key
	Keys      int64         // that may begin with k, 0: any number
	PerMinute int64         // of these that may be made in a minute, 0: any number
	Sizes     int64         // of a toy that their states may have, 0: all
}

// Arrival is a record that is written to the log. Its offset is where it then
// comes to lie.
type Arrival struct {
	At     time.Duration
	Txn    int  // the transaction that it belongs to, 0: none
	Marker bool // the end of the transaction, no record
	Abort  bool // the transaction will be aborted
	Record Record
}

// Fault is something that goes wrong from one moment to another.
type Fault struct {
	Kind     FaultKind
	From, To time.Duration
	N        int // which, how many, how often: see the kind
}

// FaultKind names what goes wrong. Every kind ends by itself at Fault.To.
type FaultKind string

// The faults. A server's name stands before its faults: N of them is the share
// of requests that fail, in percent.
const (
	LogAway    FaultKind = "log away"     // the leader of the input refuses
	LogSilent  FaultKind = "log silent"   // and does not answer
	LogBehind  FaultKind = "log behind"   // it has just been elected, and does not know that the newest N records are committed
	LogStale   FaultKind = "log stale"    // N of a hundred answers come from a leader of before, which has what there was at From and does not know that it was replaced
	Grown      FaultKind = "grown"        // N of a hundred answers say that the topic has a partition more
	OutAway    FaultKind = "output away"  // the leader of one output partition, that of N's parity
	OutLost    FaultKind = "output lost"  // its acknowledgements are lost
	OutLate    FaultKind = "output late"  // it writes late, perhaps after the client gave up
	OutRefuses FaultKind = "output wrong" // it refuses every record for ever
	StoreAway  FaultKind = "store away"   // the partition's master refuses
	StoreLost  FaultKind = "store lost"   // its replies are lost
	StoreLate  FaultKind = "store late"   // it acts late, perhaps after the client gave up
	PinAway    FaultKind = "pin away"     // the master that keeps the topic's partition count refuses
	GroupAway  FaultKind = "group away"   // the group's coordinator refuses offsets, and to tell them
	GroupLate  FaultKind = "group late"   // it acts late, perhaps after what was asked for later
	Slow       FaultKind = "slow"         // messages to and from every server take up to five seconds

	StoreBack    FaultKind = "store back"    // at To it is again as it was at From
	StoreSplit   FaultKind = "store split"   // N of a hundred requests reach a master of before, which has what there was at From, takes what it is given, and forgets it at To
	StoreEmpties FaultKind = "store empties" // at From it loses all it had
	StoreDamaged FaultKind = "store damaged" // at From it loses what a value points to, and has it back at To
	StoreForgets FaultKind = "store forgets" // at From it loses a value, as if the key had none, and has it back at To
	StoreSlow    FaultKind = "store slow"    // messages to and from it take up to N seconds, half of that at least
	StoreFull    FaultKind = "store full"    // the partition's master answers reads and refuses writes

	Elect    FaultKind = "elect"    // a new leader that has the whole log
	Truncate FaultKind = "truncate" // a new leader that lacks the newest N records
	Recreate FaultKind = "recreate" // the topic is deleted and made again, with the old one's first N records
	Trim     FaultKind = "trim"     // retention takes what is applied, and up to 2 N records more
	Compact  FaultKind = "compact"  // compaction takes what is applied, but the newest record of each key

	LanesSlow FaultKind = "lanes slow"  // a record takes N times as long
	CacheFull FaultKind = "cache full"  // the shares of cache and backlog fall to an Nth
	Crash     FaultKind = "crash"       // the owner dies; another one takes over at To
	Zombie    FaultKind = "zombie"      // another one takes over; the owner learns of it at To
	Freeze    FaultKind = "freeze"      // the owner stands still until To; another one takes over after half of it, N == 1: none does
	Rebalance FaultKind = "rebalance"   // the owner is told to stop, and gets the partition again, N == 1: another one does
	Storm     FaultKind = "storm"       // the owner is told to stop again and again, every N milliseconds, and mostly another one follows
	Empty     FaultKind = "group empty" // nobody works until To; by then the brokers have forgotten the group's offset
	Reset     FaultKind = "reset"       // nobody works until To; then somebody sets the group's offset to where N says, see resetTo

	// Of schedules that are drawn with it, whose store does not fail.
	Rescaling    FaultKind = "rescaling"     // the command rescale begins, and ends at To
	CountEvicted FaultKind = "count evicted" // at From the store loses how many partitions the topic has
	StatesBack   FaultKind = "importing"     // at From all states are exported and deleted, and by To they are imported again
)

func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d lanes, cuts of %d records and %d bytes, backlog %d, cache %d, fetches of %d, interval %v, pauses from %v, delays to %v, cost %v, skip gaps %v, %s, %d keys, %d per minute, %d sizes\n",
		p.Seed, p.Lanes, p.Records, p.Bytes, p.Backlog, p.Cache, p.Fetch, p.Interval, p.MinPause, p.Delay, p.Cost, p.SkipGap, p.Gather.Form(), p.Keys, p.PerMinute, p.Sizes)
	for _, f := range p.Faults {
		fmt.Fprintf(&b, "  %v to %v: %s %d\n", f.From, f.To, f.Kind, f.N)
	}
	for i := range p.Log {
		a := &p.Log[i]
		fmt.Fprintf(&b, "  %v: at %d %q = %q", a.At, a.Record.Time, a.Record.Key, a.Record.Value)
		for _, h := range a.Record.Headers {
			fmt.Fprintf(&b, " %s", h.Value)
		}
		if a.Txn > 0 {
			fmt.Fprintf(&b, " txn %d end %v aborted %v", a.Txn, a.Marker, a.Abort)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
