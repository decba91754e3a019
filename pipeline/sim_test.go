package pipeline_test

import (
	"flag"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// What testenv/sim asks for.
var (
	simSeeds = flag.Int("sim.seeds", 0, "schedules to run, 0: as many as a test should")
	simFrom  = flag.Uint64("sim.from", 1, "seed of the first schedule")
	simTrace = flag.Bool("sim.trace", false, "print every step of what fails")
)

// simStore is the store in memory as the simulator needs it.
type simStore struct{ *storetest.Memory }

func newSimStore() simStore { return simStore{storetest.NewMemory()} }

func (m simStore) Keep() (back func()) {
	s := m.Snapshot()
	return func() { m.Restore(s) }
}

func simulate(p pipeline.Plan) *pipeline.Violation { return pipeline.NewSim(p, newSimStore()).Run() }

// TestSimulatedTrouble searches schedules for one that breaks a guarantee, and
// shrinks the first that does.
func TestSimulatedTrouble(t *testing.T) {
	n, all := *simSeeds, *simSeeds > 0
	if n == 0 {
		n = 4000
		if testing.Short() {
			n = 400
		}
	}
	found := 0
	for seed := *simFrom; seed < *simFrom+uint64(n) && (all || found == 0); seed++ {
		p := pipeline.DrawPlan(seed)
		v := simulate(p)
		if v == nil {
			continue
		}
		t.Errorf("seed %d: %s: %s", seed, v.Kind, v.What)
		if found++; found == 1 {
			explain(t, p)
		}
	}
	t.Logf("%d schedules, %d violations", n, found)
}

// TestSimulatedTwin: a record that was applied, is cut from the log, and is there again when its producer has
// sent it once more, may halt the partition: of the records before it nobody could say the same.
func TestSimulatedTwin(t *testing.T) {
	twin := pipeline.Record{Time: 1, Key: []byte("k2"), Value: []byte("8 9 3"), Headers: []pipeline.Header{{Key: "credence-shard", Value: []byte("run/1")}}}
	for seed := range uint64(200) {
		p := pipeline.Plan{Seed: seed, Lanes: 2, Records: 3, Bytes: 1 << 20, Backlog: 1 << 20, Cache: 1 << 30, Fetch: 18, Interval: time.Second, Delay: 20 * time.Millisecond,
			Log:    []pipeline.Arrival{{At: 100 * time.Millisecond, Record: twin}, {At: 200 * time.Millisecond, Record: twin}, {At: 300 * time.Millisecond, Record: twin}},
			Faults: []pipeline.Fault{{Kind: pipeline.Truncate, From: 180 * time.Millisecond, To: 190 * time.Millisecond, N: 1}}}
		if v := simulate(p); v != nil {
			t.Fatalf("seed %d: %s: %s", seed, v.Kind, v.What)
		}
	}
}

// TestSimulatedOrigins: a group that is told to begin above records never applies them,
// whatever fails, and begins there again where the store is lost.
func TestSimulatedOrigins(t *testing.T) {
	n := uint64(1000)
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		p := pipeline.DrawPlan(seed)
		for i := 0; i < min(len(p.Log), 1+int(seed%5)) && p.Log[i].Txn == 0; i++ { // they are there before
			p.Log[i].At, p.Origin = 0, int64(i)+2
		}
		if v := simulate(p); v != nil {
			t.Errorf("seed %d: %s: %s", seed, v.Kind, v.What)
			explain(t, p)
			return
		}
	}
}

// TestSimulatedRescale: from the moment that the command rescale has a partition until it
// ends no worker moves its states, whatever fails but the store; then the work goes on.
func TestSimulatedRescale(t *testing.T) {
	n := uint64(2000)
	if testing.Short() {
		n = 200
	}
	for seed := range n {
		p := pipeline.DrawRescale(seed)
		if v := simulate(p); v != nil {
			t.Errorf("seed %d: %s: %s", seed, v.Kind, v.What)
			explain(t, p)
			return
		}
	}
}

// explain shows the least that leads to a plan's violation.
func explain(t *testing.T, p pipeline.Plan) {
	p, v := pipeline.Shrink(p, simulate)
	t.Logf("shrunk to\n%v%s: %s", &p, v.Kind, v.What)
	if *simTrace {
		s := pipeline.NewSim(p, newSimStore())
		s.Trace = func(line string) { t.Log(line) }
		s.Run()
	}
}

// TestSimulatedRecovery: a store that loses the partition count, and states that are imported again, under
// whatever else fails: no key begins a second model, what halts goes on by itself, and the end is
// that of a group that never met this.
func TestSimulatedRecovery(t *testing.T) {
	n := uint64(1500)
	if testing.Short() {
		n = 150
	}
	if *simSeeds > 0 {
		n = uint64(*simSeeds)
	}
	for seed := *simFrom; seed < *simFrom+n; seed++ {
		p := pipeline.DrawRecovery(seed)
		if v := simulate(p); v != nil {
			t.Errorf("seed %d: %s: %s", seed, v.Kind, v.What)
			explain(t, p)
			return
		}
	}
}

// TestSimulatedSlowness: a store that is slow for minutes, transactions that stay open for as long, and an hour in
// which nothing can be written hold up what they must: nothing stands still for the rest, nor grows.
func TestSimulatedSlowness(t *testing.T) {
	n := uint64(800)
	if testing.Short() {
		n = 100
	}
	if *simSeeds > 0 {
		n = uint64(*simSeeds)
	}
	for seed := *simFrom; seed < *simFrom+n; seed++ {
		p := pipeline.DrawSlow(seed)
		if v := simulate(p); v != nil {
			t.Errorf("seed %d: %s: %s", seed, v.Kind, v.What)
			explain(t, p)
			return
		}
	}
}

// TestSimulatedResets: what somebody sets the group's offset to, ahead or back, changes
// nothing of what is applied: the state says where it goes on.
func TestSimulatedResets(t *testing.T) {
	n := uint64(1000)
	if testing.Short() {
		n = 100
	}
	if *simSeeds > 0 {
		n = uint64(*simSeeds)
	}
	for seed := *simFrom; seed < *simFrom+n; seed++ {
		p := pipeline.DrawReset(seed)
		if seed%5 == 0 && p.Log[0].Txn == 0 {
			p.Log[0].At, p.Origin = 0, 2
		}
		if v := simulate(p); v != nil {
			t.Errorf("seed %d: %s: %s", seed, v.Kind, v.What)
			explain(t, p)
			return
		}
	}
}
