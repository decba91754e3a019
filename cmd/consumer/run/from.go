package run

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

// Where the flag --from has a new group begin, in words.
const (
	earliest = "earliest"
	latest   = "latest"
)

// from is where a new group begins: at one of these.
type from struct {
	text    string
	end     string // earliest or latest
	millis  int64  // since 1970; -1: no time
	single  int64  // offset in the one partition that there is; -1: none
	offsets map[int]int64
}

// parseFrom reads the value of --from.
func parseFrom(text string, now time.Time) (*from, error) {
	f := &from{text: text, millis: -1, single: -1}
	if text == earliest || text == latest {
		f.end = text
		return f, nil
	}
	if strings.Contains(text, "=") {
		f.offsets = map[int]int64{}
		for part := range strings.SplitSeq(text, ",") {
			id, at, _ := strings.Cut(part, "=")
			p, perr := strconv.ParseUint(strings.TrimSpace(id), 10, 31)
			o, oerr := strconv.ParseUint(strings.TrimSpace(at), 10, 63)
			if perr != nil || oerr != nil {
				return nil, cli.Usagef("--from %s: %q is not PARTITION=OFFSET", text, part)
			}
			if _, twice := f.offsets[int(p)]; twice {
				return nil, cli.Usagef("--from %s: partition %d is named twice", text, p)
			}
			f.offsets[int(p)] = int64(o)
		}
		return f, nil
	}
	if n, err := strconv.ParseUint(text, 10, 63); err == nil {
		f.single = int64(n)
		return f, nil
	}
	millis, err := cli.Moment(text, now)
	if err != nil {
		return nil, cli.Usagef("--from %s: %v, nor earliest, latest, or a list of PARTITION=OFFSET", text, err)
	}
	f.millis = millis
	return f, nil
}

// origins returns the offset that every partition begins at, and the ends that they have
// now.
func (f *from) origins(ctx context.Context, n *connect.Connection, topic string) (origins, ends []int64, err error) {
	count, err := n.Log.Partitions(ctx, topic)
	if err != nil {
		return nil, nil, err
	}
	if err := f.fits(topic, count); err != nil {
		return nil, nil, connect.Permanent(err)
	}
	for id := range count {
		p := pipeline.Partition{Topic: topic, ID: int32(id)}
		start, end, err := n.Log.Bounds(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		at := start
		switch {
		case f.end == latest:
			at = end
		case f.offsets != nil:
			at = f.offsets[id]
		case f.single >= 0:
			at = f.single
		case f.millis >= 0:
			if at, err = n.Log.OffsetAt(ctx, p, time.UnixMilli(f.millis)); err != nil {
				return nil, nil, err
			}
		}
		if at < start || at > end {
			return nil, nil, connect.Permanent(fmt.Errorf("--from %s: the log of %s goes from offset %d to %d: name an offset of these, or a time", f.text, p, start, end))
		}
		origins, ends = append(origins, at), append(ends, end)
	}
	return origins, ends, nil
}

// fits says why offsets are not those of a topic's partitions.
func (f *from) fits(topic string, count int) error {
	if f.single >= 0 && count != 1 {
		return fmt.Errorf("--from %s: topic %s has %d partitions, and an offset is that of one: name each as in --from 0=%s,1=…", f.text, topic, count, f.text)
	}
	if f.offsets == nil {
		return nil
	}
	for id := range count {
		if _, ok := f.offsets[id]; !ok {
			return fmt.Errorf("--from %s: topic %s has %d partitions, and partition %d is not named", f.text, topic, count, id)
		}
	}
	if len(f.offsets) > count {
		return fmt.Errorf("--from %s: topic %s has %d partitions, and %d are named", f.text, topic, count, len(f.offsets))
	}
	return nil
}

// begin notes where the group begins and returns that with the ends that the log has
// now. A group that has state, or members, is refused.
func (s *Service) begin(ctx context.Context, f *from) (*backfill, error) {
	c := s.config.Kafka
	origins, ends, err := f.origins(ctx, s.conn, c.Input)
	if err != nil {
		return nil, err
	}
	metas, err := s.conn.Metas(ctx, c.Input, len(origins))
	if err != nil {
		return nil, err
	}
	marks, err := s.conn.Client.Marks(ctx, c.Group, c.Input, len(origins))
	if err != nil {
		return nil, err
	}
	kept, keys := 0, int64(0)
	for id, m := range metas {
		// An offset without state is that of a beginning that came to nothing.
		if m.Exists || marks[id].Offset >= 0 && marks[id].Past().Begin() != marks[id].Offset {
			kept++
			keys += m.Keys
		}
	}
	if kept > 0 {
		return nil, connect.Permanent(fmt.Errorf("--from is for a new group, and group %s has state of %s in %s: name another group by --group NAME (and another kafka.output, if readers are not to see both); "+
			"leave --from out to go on; or give the state up first by %s state delete --all", c.Group, cli.Plural(keys, "key"), cli.Plural(kept, "partition"), s.names.Consumer))
	}
	if err := s.conn.NobodyWorks(ctx); err != nil {
		return nil, connect.Permanent(fmt.Errorf("--from is for a new group: %w", err))
	}
	if err := s.conn.Client.Begin(ctx, c.Group, c.Input, origins); err != nil {
		return nil, err
	}
	b := &backfill{from: origins, to: ends, began: time.Now()}
	s.logger.Info("a new group begins", "group", c.Group, "from", f.text, "offsets", listed(origins), "ends", listed(ends), "records", b.total())
	return b, nil
}

// listed writes offsets as --from takes them.
func listed(offsets []int64) string {
	parts := make([]string, len(offsets))
	for id, at := range offsets {
		parts[id] = fmt.Sprintf("%d=%d", id, at)
	}
	return strings.Join(parts, ",")
}
