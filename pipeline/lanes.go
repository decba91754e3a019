package pipeline

import (
	"context"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
)

// tools are what a lane works with. A process has as many of them as lanes work at
// the same time, whatever the number of its partitions.
type tools struct {
	newDecoder func() Decoder
	newOutputs func() Outputs
	decoder    Decoder
	outputs    Outputs
	work       *cdf.Workspace // shared by the keys that the tools are used for
	room       []byte         // of values in the making
}

func newTools(decoder func() Decoder, outputs func() Outputs) *tools {
	return &tools{newDecoder: decoder, newOutputs: outputs, decoder: decoder(), outputs: outputs(), work: cdf.NewWorkspace()}
}

// renew makes other tools of these, which a panic may have left in the middle of something.
func (t *tools) renew() {
	var err error // of a decoder that cannot even let go
	func() {
		defer fault.Catch(&err)
		t.decoder.Release()
	}()
	*t = *newTools(t.newDecoder, t.newOutputs)
}

// pool has the tools that are free. Who waits for some gets them in turn.
type pool chan *tools

func newPool(n int, opt *Options) pool {
	p := make(pool, n)
	for range n {
		p <- newTools(opt.NewDecoder, opt.NewOutputs)
	}
	return p
}

// turnSeconds is how long a lane keeps the tools while it has more to do: slow
// models must not make others wait for all that waits at their lanes.
const turnSeconds = .01

// laneMessage is work for a lane: tasks, or a barrier when there are none.
type laneMessage struct {
	tasks []task
	pack  bool // see fxBarrier
}

// station is a lane of a claim and what waits at it. It has a goroutine while
// something does.
type station struct {
	lane  *lane
	mu    sync.Mutex
	queue []laneMessage
	busy  bool
}

// put appends a message and reports whether nobody works on the queue.
func (s *station) put(m laneMessage) (idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, m)
	idle, s.busy = !s.busy, true
	return idle
}

// next takes the first message. Without one the goroutine that asks has to end.
func (s *station) next() (m laneMessage, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.queue, s.busy = nil, false
		return m, false
	}
	m, s.queue[0] = s.queue[0], laneMessage{} // else it would be kept until the queue is empty
	s.queue = s.queue[1:]
	return m, true
}

// run works on what waits and tells of each message what came of it. It ends
// when nothing waits, for good after a failure or with ctx.
func (s *station) run(ctx context.Context, epoch epoch, free pool, tell func(event)) {
	for {
		msg, ok := s.next()
		if !ok {
			return
		}
		ev, ok := s.work(ctx, epoch, free, msg)
		if !ok {
			return
		}
		tell(ev)
		if _, failed := ev.(evFailed); failed {
			return
		}
	}
}

// work does one message, in turns. It reports false when ctx has ended.
func (s *station) work(ctx context.Context, epoch epoch, free pool, msg laneMessage) (event, bool) {
	rest := msg.tasks
	for {
		asked := s.lane.clock()
		select {
		case s.lane.tools = <-free:
		case <-ctx.Done():
			return nil, false
		}
		s.lane.waited = s.lane.clock() - asked
		var part cutPart
		var failed *failure
		if msg.tasks == nil {
			part, failed = s.lane.cut(msg.pack)
		} else {
			rest, failed = s.lane.apply(rest, turnSeconds)
		}
		free <- s.lane.tools
		s.lane.tools = nil
		switch {
		case ctx.Err() != nil:
			return nil, false
		case failed != nil:
			return evFailed{epoch, failed.offset, failed.key, failed.err}, true
		case msg.tasks == nil:
			return evCut{epoch, part}, true
		case len(rest) == 0:
			return evApplied{epoch, msg.tasks}, true
		}
	}
}
