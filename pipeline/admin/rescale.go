package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// Rescale moves the states of a topic to the partitions that their keys have once the
// topic has more of them. Nothing is produced and no worker runs meanwhile. Its journal
// is in the store: a run that did not come to its end is gone on with by the next, and
// workers halt until then. A failover of the store costs a run at most.
type Rescale struct {
	Topic string
	To    int // partitions
	// Home returns the partition of a key among n.
	Home func(key []byte, n int) int32

	Log pipeline.Log
	// Written returns the offset after the last record, also of an open transaction.
	Written func(context.Context, pipeline.Partition) (int64, error)
	// Grow gives the topic n partitions; it may have them already.
	Grow func(ctx context.Context, n int) error

	Store   pipeline.Store
	Reader  pipeline.Reader
	Layouts pipeline.LayoutAdmin
	Rules   *pipeline.Rules

	// Tell is called when all states are in their new partitions, before workers may
	// use them, perhaps several times. past is what was before.
	Tell func(ctx context.Context, past []pipeline.Era) error
	// Say reports a step.
	Say func(format string, args ...any)

	layout pipeline.Layout // as it is stored
}

// ErrTakenBack reports that a rescaling changed nothing, because of the error that it
// comes with.
var ErrTakenBack = errors.New("nothing was changed")

// Run begins or goes on. ErrFenced, wrapped, says that a worker, or another run, came in
// between: run it again. With To as it was before, a rescaling is taken back whose topic
// has not grown yet.
func (r *Rescale) Run(ctx context.Context) error {
	if err := r.read(ctx); err != nil {
		return err
	}
	if r.layout.Moving == nil {
		if err := r.begin(ctx); err != nil {
			return err
		}
	} else if back, err := r.again(ctx); back || err != nil {
		return err
	}
	for _, step := range []struct {
		name, next string
		do         func(context.Context, *pipeline.Moving) error
	}{
		{pipeline.MoveBegun, pipeline.MoveGrow, r.settle},
		{pipeline.MoveGrow, pipeline.MoveCopy, r.grow},
		{pipeline.MoveCopy, pipeline.MoveDrop, r.copyAll},
		{pipeline.MoveDrop, pipeline.MoveTell, r.drop},
		{pipeline.MoveTell, "", r.tell},
	} {
		m := *r.layout.Moving
		if m.Step != step.name {
			continue
		}
		if err := step.do(ctx, &m); err != nil {
			return err
		}
		next := pipeline.Layout{Partitions: pipeline.Rescales, Past: r.layout.Past, Moving: &m}
		if m.Step = step.next; m.Step == "" {
			next = pipeline.Layout{Partitions: m.To, Past: r.past(&m)}
		}
		if err := r.put(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// read reads the layout. A count that the store has lost is that of the topic, where all of
// its partitions have states, as a worker pins it.
func (r *Rescale) read(ctx context.Context) error {
	n, err := r.Log.Partitions(ctx, r.Topic)
	if err != nil {
		return fmt.Errorf("partitions of %s: %w", r.Topic, err)
	}
	if r.layout, err = pipeline.ReadLayout(ctx, r.Store, r.Topic, n); err != nil {
		return err
	}
	// With fewer partitions it is another topic, none of whose records these states are made from.
	if why, remedy := r.layout.Elsewhere(r.Topic, n); r.layout.Partitions == pipeline.Uncounted || n < r.layout.Partitions {
		return fmt.Errorf("%s. %s", why, remedy)
	}
	if r.layout.Partitions != pipeline.Unbegun {
		return nil
	}
	begun, err := r.Store.Begun(ctx, r.Topic, n)
	if begun > 0 && err == nil {
		r.layout.Partitions, err = r.Store.Pin(ctx, r.Topic, n)
	}
	return err
}

func (r *Rescale) past(m *pipeline.Moving) []pipeline.Era {
	return append(r.layout.Past[:len(r.layout.Past):len(r.layout.Past)], m.Era)
}

// put replaces the layout, and returns when a failover of the store cannot put it back: a
// run that went on from an earlier step than the last would find keys where they do not
// belong yet.
func (r *Rescale) put(ctx context.Context, next pipeline.Layout) error {
	if err := replaceLayout(ctx, r.Layouts, r.Topic, r.layout, next); err != nil {
		return err
	}
	r.layout = next
	return nil
}

// replaceLayout replaces a layout, and returns when a failover of the store cannot put it back.
func replaceLayout(ctx context.Context, l pipeline.LayoutAdmin, topic string, was, next pipeline.Layout) error {
	if err := l.SetLayout(ctx, topic, was, next); err != nil {
		return err
	}
	if err := l.Replicated(ctx, topic, 0); err != nil {
		return err
	}
	now, err := l.Layout(ctx, topic)
	if err == nil && (now.Partitions != next.Partitions || at(now) != at(next)) {
		err = fmt.Errorf("%w: the store has lost the layout of topic %s", pipeline.ErrFenced, topic)
	}
	return err
}

// at names the run and the step that a layout is in.
func at(l pipeline.Layout) string {
	switch {
	case l.Moving != nil:
		return l.Moving.ID + " " + l.Moving.Step
	case l.Importing != nil:
		return l.Importing.ID
	}
	return ""
}

// begin looks at everything before anything is changed, and begins the journal: from
// then on workers halt.
func (r *Rescale) begin(ctx context.Context) error {
	from := r.layout.Partitions
	switch {
	case from < 0:
		return fmt.Errorf("nothing is stored for topic %s: add its partitions with Kafka's tools, there is nothing to move", r.Topic)
	case from == r.To:
		return fmt.Errorf("topic %s: its states are those of %d partitions already", r.Topic, from)
	case from > r.To:
		return fmt.Errorf("topic %s has %d partitions, and Kafka takes none away", r.Topic, from)
	}
	m := &pipeline.Moving{ID: pipeline.NewLease(pipeline.Partition{}).Token, From: from, To: r.To, Step: pipeline.MoveBegun}
	if err := r.counts(ctx, m); err != nil {
		return err
	}
	for id := range from {
		if _, err := r.drained(ctx, r.partition(id), nil); err != nil {
			return err
		}
	}
	return r.put(ctx, pipeline.Layout{Partitions: pipeline.Rescales, Past: r.layout.Past, Moving: m})
}

// again goes on with a journal, or takes it back where that is what To says.
func (r *Rescale) again(ctx context.Context) (back bool, err error) {
	m := r.layout.Moving
	if r.To == m.To {
		r.Say("going on with the change from %d to %d partitions, step %s", m.From, m.To, m.Step)
		return false, nil
	}
	n, err := r.Log.Partitions(ctx, r.Topic)
	if err != nil {
		return false, err
	}
	if r.To != m.From || n != m.From {
		return false, fmt.Errorf("topic %s has %d partitions, and the change of its states from %d to %d has begun: run it again with --to %d", r.Topic, n, m.From, m.To, m.To)
	}
	if err := r.takeBack(ctx, m); err != nil {
		return false, err
	}
	r.Say("the change to %d partitions is taken back: nothing was moved", m.To)
	return true, nil
}

func (r *Rescale) takeBack(ctx context.Context, m *pipeline.Moving) error {
	return r.put(ctx, pipeline.Layout{Partitions: m.From, Past: r.layout.Past})
}

// counts refuses a topic with another number of partitions than it had or is to have.
func (r *Rescale) counts(ctx context.Context, m *pipeline.Moving) error {
	n, err := r.Log.Partitions(ctx, r.Topic)
	if err != nil {
		return fmt.Errorf("partitions of %s: %w", r.Topic, err)
	}
	if n != m.From && n != m.To {
		return fmt.Errorf("topic %s has %d partitions, and its states are of %d: with --to %d they follow it", r.Topic, n, m.From, n)
	}
	return nil
}

// settle takes the partitions over, so that a worker that is still about is refused, and
// notes how far the log is in their states. What is not as it must be takes everything back.
// What workers have written is with the replicas of the store first: what is noted stays true.
func (r *Rescale) settle(ctx context.Context, m *pipeline.Moving) error {
	if err := r.Layouts.Replicated(ctx, r.Topic, m.From); err != nil {
		return err
	}
	m.Era = pipeline.Era{ID: m.ID}
	for id := range m.From {
		p := r.partition(id)
		meta, err := r.Store.Claim(ctx, pipeline.NewLease(p))
		if err != nil {
			return fmt.Errorf("claim %s: %w", p, err)
		}
		s, err := r.drained(ctx, p, &meta)
		if err != nil {
			return r.refused(ctx, err)
		}
		m.Era.Partitions = append(m.Era.Partitions, s)
	}
	return nil
}

// refused takes everything back because of an error that is no outage.
func (r *Rescale) refused(ctx context.Context, err error) error {
	var no *refusal
	if !errors.As(err, &no) {
		return err
	}
	if back := r.takeBack(ctx, r.layout.Moving); back != nil {
		return errors.Join(err, back)
	}
	return fmt.Errorf("%w; %w", err, ErrTakenBack)
}

// refusal is what stands in the way until somebody does something about it.
type refusal struct{ text string }

func (e *refusal) Error() string { return e.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// grow adds the partitions to the topic. Where Kafka refuses, everything is taken back.
func (r *Rescale) grow(ctx context.Context, m *pipeline.Moving) error {
	if err := r.counts(ctx, m); err != nil {
		return err
	}
	if err := r.quiet(ctx, m, m.From); err != nil {
		if n, now := r.Log.Partitions(ctx, r.Topic); now == nil && n == m.From {
			return r.refused(ctx, err)
		}
		return err
	}
	if err := r.Grow(ctx, m.To); err != nil {
		if n, now := r.Log.Partitions(ctx, r.Topic); now == nil && n == m.From {
			return r.refused(ctx, refuse("%v", err))
		}
		return err
	}
	r.Say("topic %s has %d partitions", r.Topic, m.To)
	return r.quiet(ctx, m, m.To)
}

// tell leaves word outside of the store before workers may go on.
func (r *Rescale) tell(ctx context.Context, m *pipeline.Moving) error {
	if err := r.quiet(ctx, m, m.To); err != nil {
		return err
	}
	return r.Tell(ctx, r.past(m))
}

func (r *Rescale) partition(id int) pipeline.Partition {
	return pipeline.Partition{Topic: r.Topic, ID: int32(id)}
}
