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

// searched runs the schedules of the seeds that testenv/sim asks for, else of the first n, or of a tenth of
// them, and shrinks the first that breaks a guarantee. Every test of the simulator whose schedules are drawn
// goes through it, so that testenv/sim draws what they draw.
func searched(t *testing.T, n int, draw func(seed uint64) pipeline.Plan, ran func(*pipeline.Sim)) {
	all := *simSeeds > 0
	switch {
	case all:
		n = *simSeeds
	case testing.Short():
		n /= 10
	}
	found := 0
	for seed := *simFrom; seed < *simFrom+uint64(n) && (all || found == 0); seed++ {
		p := draw(seed)
		s := pipeline.NewSim(p, newSimStore())
		v := s.Run()
		if v == nil {
			ran(s)
			continue
		}
		t.Errorf("%s, seed %d: %s: %s", t.Name(), seed, v.Kind, v.What)
		if found++; found == 1 {
			explain(t, p)
		}
	}
	t.Logf("%d schedules, %d violations", n, found)
}

func nothing(*pipeline.Sim) {}

// TestSimulatedTrouble searches schedules for one that breaks a guarantee.
func TestSimulatedTrouble(t *testing.T) { searched(t, 4000, pipeline.DrawPlan, nothing) }

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
	searched(t, 1000, func(seed uint64) pipeline.Plan {
		p := pipeline.DrawPlan(seed)
		for i := 0; i < min(len(p.Log), 1+int(seed%5)) && p.Log[i].Txn == 0; i++ { // they are there before
			p.Log[i].At, p.Origin = 0, int64(i)+2
		}
		return p
	}, nothing)
}

// TestSimulatedRescale: from the moment that the command rescale has a partition until it
// ends no worker moves its states, whatever fails but the store; then the work goes on.
func TestSimulatedRescale(t *testing.T) { searched(t, 2000, pipeline.DrawRescale, nothing) }

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
func TestSimulatedRecovery(t *testing.T) { searched(t, 1500, pipeline.DrawRecovery, nothing) }

// TestSimulatedSlowness: a store that is slow for minutes, transactions that stay open for as long, and an hour in
// which nothing can be written hold up what they must: nothing stands still for the rest, nor grows.
func TestSimulatedSlowness(t *testing.T) { searched(t, 800, pipeline.DrawSlow, nothing) }

// TestSimulatedResets: what somebody sets the group's offset to, ahead or back, changes
// nothing of what is applied: the state says where it goes on.
func TestSimulatedResets(t *testing.T) {
	searched(t, 1000, func(seed uint64) pipeline.Plan {
		p := pipeline.DrawReset(seed)
		if seed%5 == 0 && p.Log[0].Txn == 0 {
			p.Log[0].At, p.Origin = 0, 2
		}
		return p
	}, nothing)
}
