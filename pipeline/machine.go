package pipeline

import (
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline/quota"
)

// machine holds the rules of one partition: what happens next, given what
// happened. step is called by one goroutine and does nothing but arithmetic
// on the machine's own memory, so that a run is a function of its events.
type machine struct {
	cfg   machineConfig
	part  Partition
	phase phase
	epoch epoch

	halted  string            // reason, when phase is halted
	why     string            // the same in a sentence
	outages [waitKinds]outage // by what they hold up

	ownership
	intake
	checkpoint

	effects []effect
}

// ownership is what a machine knows of its claim and of those before.
type ownership struct {
	lease     Lease
	committed int64
	heard     int64  // of the group's offset when the assignment began
	origin    int64  // where the group began
	rescaled  string // see Note
	doubts    int    // times in a row that the log looked like another one
	known     int64  // the highest watermark this process ever left here, -1 none
	gaps      []Gap
	cache     *cache
	limit     int64 // of the cache, bytes
	keep      retained
	poison    map[int64]failed // offsets of what failed
	opening   bool             // the claim's own checkpoint is not yet acknowledged
	probing   bool
	probed    []int64 // the watermarks that the store is, or was last, looked at for
	ticks     int
}

// failed is a record that its lane could not get past.
type failed struct {
	epoch LeaderEpoch  // the newest by then
	fault *fault.Error // of the program, if it was one
}

// intake is what is on its way from the log to the lanes.
type intake struct {
	fetching  bool
	unwanted  bool // what the fetch under way brings
	looking   bool
	unread    int // ticks in which nothing was fetched
	fetchFrom Position
	end, high int64 // of the log, as last heard, and with open transactions
	queue     queue
	queueNext int64           // offset after the queue
	settling  bool            // what comes next waits until a lane has answered
	quotas    []quota.Account // in the order of the tenants
	chunk     *chunk          // waiting for its states
	tasks     []task          // room for those of a chunk
	running   int             // lane messages not yet answered
	busyBytes int64           // record bytes at the lanes
	expected  int64           // bytes of the outputs of a record, before they are made
	pace      pace
}

// checkpoint is what is on its way from the lanes to the store.
type checkpoint struct {
	acked      int64 // watermark of the last acknowledged one
	last       Last
	dispatched int64 // offset after the last record given to a lane
	tail       *Record
	open       cut // what the next barrier will cover
	flight     *cut
	unsettled  []*Point // of a cut whose epoch was given up, saved or not
	due        bool
	pausing    bool  // since the last one
	typical    int64 // bytes of a key and its state in the last one
}

// machineConfig is what the rules depend on.
type machineConfig struct {
	lanes     int
	records   int          // of a cut
	bytes     int64        // of a cut: changed states and outputs
	backlog   func() int64 // record bytes fetched ahead
	interval  float64      // between two checkpoints, seconds
	probe     int          // ticks between two looks at an idle claim
	onGapSkip bool
	rules     *Rules
}

// haltReasons are the reasons of halts, as labels of a metric.
var haltReasons = [...]string{
	"configuration", "damaged", "format", "gap", "output", "partitions", "recreated", "store_lost", "truncated",
}

// outage is something that fails and is tried again.
type outage struct {
	attempts int
	of       string // the dependency, see package depend
	why      string
}

type phase uint8

const (
	phaseClaiming phase = iota
	phaseRunning
	phaseWaiting
	phaseHalted
	phaseClosing
	phaseDone
)

// cut is the work between two barriers.
type cut struct {
	seq     uint64
	records int
	bytes   int64 // of states and outputs
	outs    int64 // of these, of outputs, made or expected
	touched []*entry
	to      int64        // the watermark it leads to
	waiting int          // lanes that have not handed over their part
	outputs []Output     // not yet acknowledged, what was refused first
	sent    int          // of these, under way
	grown   []int64      // bytes that the states of each tenant grow by
	marks   []quota.Mark // the minutes of the tenants, at its end
	points  []*Point
	pages   []Pages // of the outputs, until all are acknowledged
	save    Checkpoint
}

// made adds the bytes of outputs.
func (c *cut) made(n int64) {
	c.bytes += n
	c.outs += n
}

// retained is a cache that outlived its claim: usable by the next one only
// if nobody wrote in between and nothing in it is unacknowledged.
type retained struct {
	cache     *cache
	token     string
	watermark int64
}

func newMachine(cfg machineConfig, p Partition, keep retained, known int64) *machine {
	return &machine{
		cfg: cfg, part: p,
		ownership: ownership{keep: keep, known: known, poison: map[int64]failed{}, cache: newCache(), limit: 1 << 62},
		intake:    intake{pace: newPace(cfg)},
	}
}

// step tells the machine what happened and returns what to do, in order. The
// returned slice is valid until the next call.
func (m *machine) step(ev event) []effect {
	clear(m.effects) // what they carry is not kept
	m.effects = m.effects[:0]
	if e, ok := ev.(late); ok && e.of() != m.epoch {
		return m.effects
	}
	ev.handle(m)
	m.pump()
	return m.effects
}

func (e evStart) handle(m *machine) {
	m.committed, m.heard, m.limit = e.committed, e.committed, e.cache
	m.claim()
}

func (e evTick) handle(m *machine) {
	m.due, m.limit = true, e.cache
	m.evict()
	m.tick()
	m.look()
}

func (e evTimer) handle(m *machine)     { m.timer(e.wait) }
func (evRevoked) handle(m *machine)     { m.revoke() }
func (e evClaimed) handle(m *machine)   { m.onClaimed(e) }
func (e evFetched) handle(m *machine)   { m.onFetched(e) }
func (e evLoaded) handle(m *machine)    { m.onLoaded(e) }
func (e evApplied) handle(m *machine)   { m.onApplied(e.tasks) }
func (e evFailed) handle(m *machine)    { m.onFailed(e) }
func (e evCut) handle(m *machine)       { m.onCut(e.part) }
func (e evPublished) handle(m *machine) { m.onPublished(e) }
func (e evSaved) handle(m *machine)     { m.onSaved(e.err) }
func (e evMeta) handle(m *machine)      { m.onMeta(e) }
func (e evProbed) handle(m *machine)    { m.onProbed(e.err) }
func (e evLooked) handle(m *machine)    { m.onLooked(e) }

func (m *machine) do(fx effect) { m.effects = append(m.effects, fx) }

// pump starts whatever may go on: a barrier before more work, work before
// more fetching.
func (m *machine) pump() {
	if m.phase != phaseRunning && m.phase != phaseClosing {
		return
	}
	m.barrier()
	if m.phase == phaseClosing {
		m.close()
		return
	}
	if !m.opening {
		m.dispatch()
		m.barrier()
	}
	if m.stuck() {
		m.shed()
		return
	}
	m.fetch()
}

// poisoned reports whether the record failed before. One that took its offset
// in a log that was truncated since has a newer epoch.
func (m *machine) poisoned(r *Record) (of *fault.Error, ok bool) {
	was, ok := m.poison[r.Offset]
	if !ok || r.Epoch > was.epoch {
		return nil, false
	}
	return was.fault, true
}
