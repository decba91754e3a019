package show

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/sink"
)

// moment is the place in the log whose posterior is asked for.
type moment struct {
	offset int64  // of the last record that counts; -1: not said
	time   string // RFC 3339, or how long ago; "": not said
	millis int64
}

func (m *moment) asked() bool { return m.offset >= 0 || m.time != "" }

// read checks the flags.
func (m *moment) read(offsetSaid bool, now time.Time) (err error) {
	switch {
	case offsetSaid && m.time != "":
		return cli.Usagef("--at-offset and --at-time exclude each other")
	case offsetSaid && m.offset < 0:
		return cli.Usagef("--at-offset %d: an offset is 0 or more", m.offset)
	case m.time != "":
		if m.millis, err = cli.Moment(m.time, now); err != nil {
			return cli.Usagef("--at-time %s: %v", m.time, err)
		}
	}
	return nil
}

// below returns the offset of the first record that does not count.
func (m *moment) below(ctx context.Context, conn *connect.Connection, p pipeline.Partition) (int64, error) {
	if m.offset >= 0 {
		return min(m.offset, math.MaxInt64-1) + 1, nil
	}
	return conn.Log.OffsetAt(ctx, p, time.UnixMilli(m.millis+1))
}

// pastLost refuses a topic whose former partitions nobody knows any more.
func pastLost(ctx context.Context, conn *connect.Connection) error {
	topic := conn.Config.Kafka.Input
	count, err := conn.Log.Partitions(ctx, topic)
	if err != nil {
		return err
	}
	layout, err := conn.Store.Layout(ctx, topic)
	if err != nil {
		return err
	}
	return conn.PastLost(ctx, layout, count)
}

// getPast prints the posterior of a key as it was: the message that was published last by
// then, or where the state has moved on without one, the state.
func getPast(ctx context.Context, a *app.App, conn *connect.Connection, key string, m *moment, format string) error {
	if _, ok := conn.Rules.Match(key); !ok {
		return fmt.Errorf("no entry of models matches key %q: its records go to the dead letters", key)
	}
	p, err := conn.Lookup.Place(ctx, key)
	if err != nil {
		return err
	}
	if err := pastLost(ctx, conn); err != nil {
		return err
	}
	below, err := m.below(ctx, conn, p)
	if err != nil {
		return err
	}
	said := &lastSaid{}
	var bar *term.Bar
	v := conn.Past(func(o pipeline.Outputs) pipeline.Outputs { return said.from(o) })
	v.Advance = func(n, of int64) {
		if bar == nil {
			bar = term.Progress(a.Err, "offsets read", of)
		}
		bar.Add(n)
	}
	value, err := v.At(ctx, p, key, below)
	if bar != nil {
		bar.Done()
	}
	if trimmed := new(admin.TrimmedError); errors.As(err, &trimmed) {
		return trimmedBelow(ctx, a, conn, key, p, below, format, err)
	}
	if err != nil {
		return err
	}
	if value == nil {
		return fmt.Errorf("key %q had no model at offset %d of %s: no shard of it was applied by then, or it was deleted", key, below-1, p)
	}
	now, err := pipeline.ParseStored(key, value)
	if err != nil {
		return err
	}
	if said.t == now.T && said.record != nil {
		return writeMessage(a, said.record, format)
	}
	past, _, err := conn.Rules.Restore(p, key, value)
	if err != nil {
		return err
	}
	return writePosterior(a, past, format)
}

// trimmedBelow answers where the log does not go back to the group's beginning: by the
// stored state, if nothing was applied to it since.
func trimmedBelow(ctx context.Context, a *app.App, conn *connect.Connection, key string, p pipeline.Partition, below int64, format string, why error) error {
	value, err := conn.Store.Get(ctx, p, key)
	if err != nil {
		return err
	}
	if value == nil {
		return fmt.Errorf("key %q: %w; it has no state now", key, why)
	}
	stored, err := pipeline.ParseStored(key, value)
	if err != nil {
		return err
	}
	if stored.Offset >= below {
		return fmt.Errorf("key %q: %w. Its state now is that of offset %d: ask for that offset or a later one, or import an older export (state import) into a group of its own", key, why, stored.Offset)
	}
	past, _, err := conn.Rules.Restore(p, key, value)
	if err != nil {
		return err
	}
	return writePosterior(a, past, format)
}

// lastSaid keeps the last posterior that was encoded.
type lastSaid struct {
	pipeline.Outputs
	t      int64
	record *pipeline.Record
}

func (l *lastSaid) from(o pipeline.Outputs) pipeline.Outputs {
	l.Outputs = o
	return l
}

// Posterior implements pipeline.Outputs.
func (l *lastSaid) Posterior(dst []pipeline.Output, in *pipeline.Pages, p *pipeline.Posterior, f *cdf.Filter, r *pipeline.Record) ([]pipeline.Output, error) {
	outs, err := l.Outputs.Posterior(dst, in, p, f, r)
	if err == nil && len(outs) > len(dst) {
		o := &outs[len(dst)]
		l.t = p.Summary.T
		l.record = &pipeline.Record{Offset: p.Offset, Time: o.Time, Key: []byte(p.Key), Value: append([]byte(nil), o.Value...), Headers: append([]pipeline.Header(nil), o.Headers...)}
		for i := range l.record.Headers {
			l.record.Headers[i].Value = append([]byte(nil), o.Headers[i].Value...)
		}
	}
	return outs, err
}

// writeMessage prints a message as tail does.
func writeMessage(a *app.App, r *pipeline.Record, format string) error {
	text, err := toJSON(r)
	if err != nil {
		return err
	}
	if format == app.JSON {
		_, err = fmt.Fprintf(a.Out, "%s\n", text)
		return err
	}
	p, _, err := sink.ParseJSON(text)
	if err != nil {
		return err
	}
	p.Key = string(r.Key)
	return writePosterior(a, p, format)
}
