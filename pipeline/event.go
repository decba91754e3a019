package pipeline

import "github.com/credence-stream/credence/pipeline/quota"

// What a partition's machine is told and what it asks for. Everything of an
// epoch (one claim) carries its number: what comes late from an epoch that
// was given up is ignored.
//
// An event is handled by the one goroutine that owns the machine: shell.run, or
// the simulator's loop. handle neither waits nor fails; errors are fields of
// events. The effects that it leaves behind are started on the same goroutine,
// in their order. An effect that waits for others does so in a goroutine of
// its own and answers with one event, with the error of the log or the store in
// it. In all of them ErrFenced gives up the epoch, ErrDamaged halts the
// partition, and what no comment names is an outage, after which the machine
// waits and asks again.

// epoch numbers the claims of a machine.
type epoch uint64

// of makes an event or effect that embeds its epoch tell it.
func (e epoch) of() epoch { return e }

// event is something that happened to a partition. The types below are all there
// are: one that the machine does not handle does not compile.
type event interface{ handle(*machine) }

// late is an event that may come late: the answer to an effect of an epoch.
type late interface{ of() epoch }

type (
	// evStart begins the work of an assignment.
	evStart struct {
		committed int64
		cache     int64
	}
	// evTick says that the checkpoint interval has passed. Cache is this
	// partition's share of the cache in bytes.
	evTick struct{ cache int64 }
	// evTimer answers fxWait, perhaps after it was given up: a timer that ran off
	// cannot be stopped any more.
	evTimer struct {
		epoch
		wait waitKind
	}
	// evRevoked says that the assignment has ended.
	evRevoked struct{}

	// evClaimed answers fxClaim.
	evClaimed struct {
		facts facts
		err   error
	}
	// evFetched answers fxFetch. ErrOutOfRange and ErrAnotherLog lead to another
	// claim, which decides.
	evFetched struct {
		epoch
		got  Fetched
		size int64 // bytes that the records hold of the budget
		err  error
	}
	// evLoaded answers fxLoad.
	evLoaded struct {
		epoch
		values []Stored // in the order of fxLoad.keys, of the first of them
		err    error
	}
	// evApplied answers fxApply.
	evApplied struct {
		epoch
		tasks []task
	}
	// evFailed answers fxApply and fxBarrier in place of evApplied and evCut
	// when a record stops the lane, which has then ended.
	evFailed struct {
		epoch
		offset int64
		key    string
		err    error // wraps ErrDamaged or cdf.ErrLater, or is the record's fault
	}
	// evCut answers fxBarrier, once per lane.
	evCut struct {
		epoch
		part cutPart
	}
	// evPublished answers fxPublish. The rest, with which an error comes, is sent
	// again, some of it perhaps for the second time; what was refused, its first,
	// is sent alone until it passes.
	evPublished struct {
		epoch
		rest []Output
		err  error
	}
	// evSaved answers fxSave. After an outage the outcome is unknown: see
	// fxResolve.
	evSaved struct {
		epoch
		err error
	}
	// evMeta answers fxResolve.
	evMeta struct {
		epoch
		meta Meta
		err  error
	}
	// evProbed answers fxProbe.
	evProbed struct {
		epoch
		err error
	}
	// evLooked answers fxLook.
	evLooked struct {
		epoch
		end int64
		err error
	}
)

// effect is something for a shell to start, and for the simulator. The types
// below are all there are.
type effect interface{ start(*shell) }

type (
	// fxClaim claims the partition and gathers the facts that the machine
	// decides on.
	fxClaim struct{}
	// fxOpen starts the epoch's lanes.
	fxOpen struct {
		epoch
		gaps int
	}
	// fxFetch asks the log; one is under way at a time.
	fxFetch struct {
		epoch
		from Position
	}
	// fxShed lets go of the bytes of records that were fetched and not used.
	fxShed struct{ bytes int64 }
	// fxLoad reads the states of keys that are not in memory: at least one, and
	// no more than have the given bytes.
	fxLoad struct {
		epoch
		lease      Lease
		watermarks []int64
		keys       []string
		bytes      int64
		failed     int // attempts before
	}
	// fxApply hands tasks to a lane. Tasks of one key always go to one lane.
	fxApply struct {
		epoch
		lane  int
		tasks []task
	}
	// fxBarrier asks every lane for what changed since the last one, and to pack
	// models that were used once where there is no room for more at hand.
	fxBarrier struct {
		epoch
		pack bool
	}
	// fxPublish sends the outputs of a cut, after a look whether the lease
	// still holds.
	fxPublish struct {
		epoch
		lease      Lease
		watermarks []int64
		outputs    []Output
	}
	// fxSave writes the checkpoint whose outputs are acknowledged.
	fxSave struct {
		epoch
		lease Lease
		c     Checkpoint
	}
	// fxResolve reads the meta after a save whose outcome is unknown.
	fxResolve struct{ epoch }
	// fxLook asks where the log ends while nothing is fetched.
	fxLook struct{ epoch }
	// fxProbe looks whether the lease still holds while nothing is written.
	fxProbe struct {
		epoch
		lease      Lease
		watermarks []int64
	}
	// fxCommit follows an acknowledged checkpoint: the observer may know of the
	// points that it covers, and the group offset moves.
	fxCommit struct {
		at     GroupOffset
		points []*Point
	}
	// fxNote has what the state knows of the partition's past stand beside the group's
	// offset again: brokers forget it with the offset, and a store that is lost then does
	// not know it any more.
	fxNote struct{ at GroupOffset }
	// fxDrop gives up the epoch: its lanes, its memory, what is under way.
	fxDrop struct{ epoch }
	// fxTell tells the observer of points of an epoch that was given up before
	// it learned that they were saved.
	fxTell struct{ points []*Point }
	// fxWait sets a timer, in place of one of its kind that runs.
	fxWait struct {
		epoch
		wait  waitKind
		steps int // of the wait's unit, see the shell
	}
	// fxCount adds to a metric.
	fxCount struct {
		metric counter
		n      int64
	}
	// fxDone ends the work of the assignment.
	fxDone struct{}
)

// waitKind names a timer. One of each kind runs at a time.
type waitKind uint8

const (
	waitClaim waitKind = iota // before the next claim; steps of a tenth of a second
	waitFetch
	waitLoad
	waitPublish
	waitSave
	waitFence // two heartbeats
	waitHalt  // ten seconds
	waitFlush // the longest that a revoked assignment may take to save its work
	waitProbe // no timer: the next tick looks again
	waitPause // between a checkpoint and one that is not due
	waitKinds
)

// counter names what the machine counts.
type counter uint8

const (
	countFenced counter = iota
	countRollback
	countClaim
	countEvicted
)

// facts is what a claim finds.
type facts struct {
	lease      Lease
	meta       Meta
	partitions int    // of the topic now
	layout     Layout // as ReadLayout says, and pinned
	// another and why are as those of Layout.Another, where the topic has more partitions than its states are made for.
	another, why string
	// past is what stands beside the group's offset of the partition's past, asked for
	// where the store has no state.
	past Note
	log  LogState
	// held is what the store has of each tenant.
	held []quota.Sum
}
