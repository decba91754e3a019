package deadletters

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
)

type replayFlags struct {
	letterFlags
	dryRun bool
	yes    bool
}

// progressGroup is the group whose offsets say what was replayed.
func progressGroup(c *config.Config) string { return c.Kafka.Group + ".dlq" }

// visitLetters calls visit with every record of the dead letter topic, from its
// beginning to the end that it has now, in order per partition.
func visitLetters(ctx context.Context, n *connect.Connection, c *config.Config, notify func(string, ...any), visit func(pipeline.Partition, *pipeline.Record) error) error {
	letters, err := n.Letters()
	if err != nil {
		return err
	}
	return letters.Tail(ctx, c.Kafka.DeadLetters, kafka.TailOptions{
		UntilEnd: true,
		OnError:  func(err error) { notify("waiting for topic %s: %v", c.Kafka.DeadLetters, err) },
	}, visit)
}

// newSorter returns what judges letters by the progress noted so far.
func newSorter(ctx context.Context, n *connect.Connection, c *config.Config) (*sorter, error) {
	count, err := n.Log.Partitions(ctx, c.Kafka.DeadLetters)
	if err != nil {
		return nil, fmt.Errorf("dead letters: %w", err)
	}
	marks, err := n.Client.Marks(ctx, progressGroup(c), c.Kafka.DeadLetters, count)
	if err != nil {
		return nil, err
	}
	s := &sorter{input: c.Kafka.Input, left: -1, ordered: func(key string) (ordered, matched bool) {
		spec, ok := n.Rules.Match(key)
		return ok && spec.Steps, ok
	}}
	for _, m := range marks {
		s.done = append(s.done, parseProgress(m.Offset, m.Note))
	}
	return s, nil
}

// replayer goes through the letters once.
type replayer struct {
	*sorter
	log     pipeline.Log
	count   [verdicts]int
	example [verdicts]string
	next    []*progress // as it will be
	at      []int64     // offset after the letter visited last, per partition
}

// newReplayer returns one that knows how far the group has come.
func newReplayer(ctx context.Context, n *connect.Connection, c *config.Config, f *replayFlags, yes bool) (*replayer, error) {
	s, err := newSorter(ctx, n, c)
	if err != nil {
		return nil, err
	}
	s.glob, s.stage, s.yes = f.key, f.stage, yes
	if f.limit > 0 {
		s.left = f.limit
	}
	count, err := n.Log.Partitions(ctx, c.Kafka.Input)
	if err != nil {
		return nil, err
	}
	metas, err := n.Metas(ctx, c.Kafka.Input, count)
	if err != nil {
		return nil, err
	}
	for _, meta := range metas {
		s.watermarks = append(s.watermarks, meta.Watermark)
	}
	r := &replayer{sorter: s, log: n.Log, at: make([]int64, len(s.done))}
	for range s.done {
		r.next = append(r.next, &progress{})
	}
	return r, nil
}

// visit judges a letter and notes it as dealt with where it will be.
func (r *replayer) visit(ctx context.Context, at pipeline.Partition, record *pipeline.Record) (*pipeline.Output, *letterLine, error) {
	v, l := r.judge(at, record)
	line := newLetterLine(at, record, &l, "open")
	whole := record
	if v == verdictSend && l.LeftOut != nil {
		var err error
		if whole, l, v, err = refetch(ctx, r.log, l); err != nil {
			return nil, nil, err
		}
		if v == verdictUnread { // it may be read under other limits, before the later ones
			r.hold(string(record.Key))
		}
	}
	if r.count[v]++; r.count[v] == 1 {
		r.example[v] = fmt.Sprintf("key %q at %s offset %d", record.Key, l.Source, l.Offset)
		switch v {
		case verdictRefused: // who knows of which record it is
			r.example[v] = fmt.Sprintf("%s offset %d", at, record.Offset)
		case verdictKeyless: // its key may be a megabyte
			r.example[v] = fmt.Sprintf("%s offset %d", l.Source, l.Offset)
		}
	}
	if int(at.ID) < len(r.next) {
		r.next[at.ID].visit(record.Offset, v == verdictSend || v.settled())
		r.at[at.ID] = record.Offset + 1
	}
	if v != verdictSend {
		return nil, nil, nil
	}
	out := l.Replay(whole)
	return &out, line, nil
}

// leftOut are the verdicts that keep letters back, and why.
var leftOut = []struct {
	verdict verdict
	why     string
}{
	{verdictNobody, "no entry of models matches the key"},
	{verdictAhead, "the group has not reached the record yet and will process it"},
	{verdictOrder, "the order of its steps in time is lost; --yes sends it anyway"},
	{verdictDelete, "a tombstone deletes what its key has learned since; --yes sends it anyway"},
	{verdictUnread, "its bytes are left out, and limits.record is too low to read them from the input topic"},
	{verdictRefused, "it is too large for limits.dead_letter or is damaged"},
	{verdictAfter, "a letter before it cannot be read and may be of the same key; --yes sends it anyway"},
	{verdictGone, "its bytes are left out, and the input topic has its record no more"},
	{verdictBehind, "an earlier letter of the key is left out"},
}

// tell prints what is left out and reports whether anything is that a later replay may send.
func (r *replayer) tell(a *app.App) bool {
	some := false
	if n := r.count[verdictKeyless]; n > 0 {
		a.Printf("%s never sent, the first of %s: no model can have its key, which is not 1 to %d bytes of UTF-8; correct the producer and send the rows anew",
			cli.Plural(n, "letter is", "letters are"), r.example[verdictKeyless], pipeline.MaxKey)
	}
	for _, o := range leftOut {
		if n := r.count[o.verdict]; n > 0 {
			some = true
			a.Printf("%s left out, the first of %s: %s", cli.Plural(n, "letter is", "letters are"), r.example[o.verdict], o.why)
		}
	}
	return some
}

func replayLetters(a *app.App, cmd *cobra.Command, conn *connect.Connection, c *config.Config, f *replayFlags) error {
	ctx := cmd.Context()
	if err := conn.OpenStore(ctx, c); err != nil {
		return err
	}
	plan, err := newReplayer(ctx, conn, c, f, f.yes)
	if err != nil {
		return err
	}
	out := app.NewListing(a.Out, app.JSON, nil)
	err = visitLetters(ctx, conn, c, a.Printf, func(at pipeline.Partition, r *pipeline.Record) error {
		_, line, err := plan.visit(ctx, at, r)
		if line != nil && f.dryRun {
			return writeLetter(out, line)
		}
		return err
	})

	if err != nil {
		return err
	}
	if err := out.End(); err != nil {
		return err
	}
	yes := f.yes
	if doubtful := plan.count[verdictOrder] + plan.count[verdictDelete] + plan.count[verdictAfter]; doubtful > 0 && !f.dryRun && app.Asks(cmd.InOrStdin()) {
		plan.tell(a)
		if yes, err = a.Ask(cmd.InOrStdin(), fmt.Sprintf("%s of steps in time, tombstones, or behind one that cannot be read: send them as well?", cli.Plural(doubtful, "letter is", "letters are"))); err != nil {
			return err
		}
	}
	if f.dryRun {
		plan.tell(a)
		a.Printf("%s would be sent to %s", cli.Plural(plan.count[verdictSend], "letter"), c.Kafka.Input)
		return nil
	}
	var done *replayer
	err = a.Audited(c, "dead-letters replay", "letters", func() (int64, error) {
		var err error
		if done, err = sendLetters(ctx, a, conn, c, f, yes); done == nil {
			return 0, err
		}
		return int64(done.count[verdictSend]), err
	})
	if err != nil {
		return fmt.Errorf("%w; run it again: what was sent is not applied twice", err)
	}
	left := done.tell(a)
	a.Printf("%s sent to %s, %s dealt with before", cli.Plural(done.count[verdictSend], "letter"), c.Kafka.Input,
		cli.Plural(done.count[verdictDone]+done.count[verdictRepeat], "was", "were"))
	if left {
		return cli.ErrReported
	}
	return nil
}

// sendBytes and sendLetters bound what is sent before the next note.
const (
	sendBytes   = 4 << 20
	sendRecords = 500
)

// newPublisher sends shards, which are numbered.
func newPublisher(c *kafka.Client) *kafka.Publisher {
	p := kafka.NewPublisher(c, kafka.LZ4)
	p.OnLost = kafka.StopAtLoss
	return p
}

// sendLetters sends what is to be sent and notes it once it is acknowledged.
// What was sent when the process dies before the note is sent again by the
// next one, under the same header.
func sendLetters(ctx context.Context, a *app.App, conn *connect.Connection, c *config.Config, f *replayFlags, yes bool) (*replayer, error) {
	r, err := newReplayer(ctx, conn, c, f, yes)
	if err != nil {
		return nil, err
	}
	publisher := newPublisher(conn.Client)
	var batch []pipeline.Output
	bytes := 0
	send := func() error {
		if len(batch) > 0 {
			if _, err := publisher.Publish(ctx, batch); err != nil {
				return err
			}
		}
		batch, bytes = batch[:0], 0
		return r.note(ctx, conn.Client, c)
	}
	err = visitLetters(ctx, conn, c, a.Printf, func(at pipeline.Partition, record *pipeline.Record) error {
		o, _, err := r.visit(ctx, at, record)
		if o == nil {
			return err
		}
		batch = append(batch, *o)
		if bytes += len(o.Value); bytes < sendBytes && len(batch) < sendRecords {
			return nil
		}
		return send()
	})

	if err == nil {
		err = send()
	}
	return r, err
}

// note commits the progress of all partitions that have any.
func (r *replayer) note(ctx context.Context, client *kafka.Client, c *config.Config) error {
	for id, p := range r.next {
		if r.at[id] == 0 {
			continue
		}
		m := kafka.Mark{Offset: p.base, Note: p.note(r.at[id], r.done[id])}
		if err := client.SetMark(ctx, progressGroup(c), c.Kafka.DeadLetters, int32(id), m); err != nil {
			return err
		}
	}
	return nil
}
