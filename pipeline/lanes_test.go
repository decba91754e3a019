package pipeline

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// book is where lanes write what they do; the first record of all waits until it
// may go on.
type book struct {
	mu      sync.Mutex
	lines   []int64 // offsets in the order of their work
	started chan struct{}
	goOn    chan struct{}
}

func (b *book) Posterior(dst []Output, _ *Pages, _ *Posterior, _ *cdf.Filter, _ *Record) ([]Output, error) {
	return dst, nil
}
func (b *book) Predictions(*Predictions, *Record) ([]Output, error) { return nil, nil }
func (b *book) Alert(*Alert, *Record) (Output, error)               { return Output{}, nil }
func (b *book) Tombstone(Partition, *Record) Output                 { return Output{} }
func (b *book) Dead(_ Partition, r *Record, _ Stage, _ string) Output {
	if r.Offset == 0 {
		close(b.started)
		<-b.goOn
	}
	runtime.Gosched()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, r.Offset)
	return Output{}
}

// noShards decodes nothing.
type noShards struct{}

func (noShards) Decode([]byte) (*cdf.Batch, error) { return nil, ErrDecode }
func (noShards) Release() bool                     { return false }

// tasksFrom returns records that become dead letters.
func tasksFrom(offset int64, n int) []task {
	tasks := make([]task, n)
	for i := range tasks {
		tasks[i].record = &Record{Offset: offset + int64(i), Refused: errors.New("of no account")}
	}
	return tasks
}

// TestLanesTakeTurns: a process with the tools for one lane lets another one have
// them before the first has done all that waits for it.
func TestLanesTakeTurns(t *testing.T) {
	b := &book{started: make(chan struct{}), goOn: make(chan struct{})}
	free := newPool(1, &Options{NewDecoder: func() Decoder { return noShards{} }, NewOutputs: func() Outputs { return b }})
	events := make(chan event, 4)
	run := func(clock func() float64, messages ...laneMessage) *station {
		s := &station{lane: &lane{clock: clock, rules: &Rules{limits: Limits{Record: 100}}}}
		for i, m := range messages {
			if s.put(m) != (i == 0) {
				t.Error("only the first message finds the lane without a goroutine")
			}
		}
		go s.run(t.Context(), 1, free, func(ev event) { events <- ev })
		return s
	}
	now := 0.
	slow := run(func() float64 { now += 2 * turnSeconds; return now }, laneMessage{tasks: tasksFrom(0, 1000)}, laneMessage{})
	<-b.started
	asks := make(chan struct{})
	hour := 0.
	second := tasksFrom(5000, 1)
	second[0].record = &Record{Offset: 5000, Key: []byte("k"), Value: []byte("no shard")}
	second[0].entry, second[0].spec = &entry{key: "k", state: &keyState{}}, new(cdf.Spec)
	run(func() float64 { // it waits for an hour
		if hour == 0 {
			close(asks)
		}
		hour++
		return hour * 3600
	}, laneMessage{tasks: second})
	<-asks
	close(b.goOn)
	var applied, outputs int
	for range 3 {
		switch ev := (<-events).(type) {
		case evApplied:
			applied += len(ev.tasks)
			if len(ev.tasks) == 1 && ev.tasks[0].seconds != 2*3600 {
				t.Errorf("the record took %v s; it waited for an hour and took another", ev.tasks[0].seconds)
			}
		case evCut:
			outputs = len(ev.part.outputs)
		default:
			t.Errorf("%T", ev)
		}
	}
	if applied != 1001 || outputs != 1000 {
		t.Errorf("%d records applied, %d outputs of the first lane", applied, outputs)
	}
	if last := b.lines[len(b.lines)-1]; last == 5000 {
		t.Error("the second lane waited for all that the first had to do")
	}
	next := int64(0)
	for _, offset := range b.lines {
		if offset == 5000 {
			continue
		}
		if offset != next {
			t.Fatalf("record %d in the place of %d", offset, next)
		}
		next++
	}
	if !eventuallyIdle(slow) {
		t.Error("a lane without work keeps a goroutine")
	}
}

// eventuallyIdle puts a barrier where there should be nobody.
func eventuallyIdle(s *station) bool {
	for range 1_000_000 {
		s.mu.Lock()
		busy := s.busy
		s.mu.Unlock()
		if !busy {
			return s.put(laneMessage{})
		}
		runtime.Gosched()
	}
	return false
}
