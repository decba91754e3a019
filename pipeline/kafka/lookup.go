package kafka

import (
	"context"
	"sync"
)

// lookups lets callers that look the same topic up at the same time share one
// answer. It was asked for after each of them called, so that none of them is told
// what was true before: a caller that comes while an answer is under way shares
// the next one.
type lookups struct {
	mu   sync.Mutex
	next map[string]*lookup // by topic; of one that is being asked for, nil when nobody waits
}

// lookup is an answer that several callers wait for.
type lookup struct {
	callers int
	ctx     context.Context // of no caller: it ends when the last of them leaves
	cancel  context.CancelFunc
	done    chan struct{}
	route   route
	err     error
}

// do returns what ask returns. The end of ctx ends the wait of this caller alone.
func (s *lookups) do(ctx context.Context, topic string, ask func(context.Context) (route, error)) (route, error) {
	l := s.join(ctx, topic, ask)
	select {
	case <-l.done:
		return l.route, l.err
	case <-ctx.Done():
		s.leave(topic, l)
		return route{}, ctx.Err()
	}
}

func (s *lookups) join(ctx context.Context, topic string, ask func(context.Context) (route, error)) *lookup {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, asking := s.next[topic]
	if l == nil {
		l = &lookup{done: make(chan struct{})}
		l.ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
		s.next[topic] = l
	}
	l.callers++
	if !asking {
		go s.run(topic, ask)
	}
	return l
}

// leave ends a look-up that nobody waits for any more.
func (s *lookups) leave(topic string, l *lookup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.callers--; l.callers > 0 {
		return
	}
	l.cancel()
	if s.next[topic] == l {
		s.next[topic] = nil
	}
}

// run asks until nobody waits.
func (s *lookups) run(topic string, ask func(context.Context) (route, error)) {
	for {
		s.mu.Lock()
		l := s.next[topic]
		if l == nil {
			delete(s.next, topic)
			s.mu.Unlock()
			return
		}
		s.next[topic] = nil
		s.mu.Unlock()
		l.route, l.err = ask(l.ctx)
		l.cancel()
		close(l.done)
	}
}
