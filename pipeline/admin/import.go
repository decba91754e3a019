package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// unfinishedImport stands for a configuration while a partition is imported in
// more than one checkpoint: no worker has it, so that any halts until the last
// one, which puts watermark and configuration right in one compare-and-set.
// A worker says its first 16 bytes.
const unfinishedImport = "half an import"

// Unfinished reports whether an import into the partition did not come to its
// end. It is run again, and begins anew.
func Unfinished(m pipeline.Meta) bool {
	return m.Exists && len(m.Configured) == 1 && m.Configured[0].Core == unfinishedImport
}

// Import takes a partition over and puts state into it.
type Import struct {
	store  pipeline.Store
	amend  pipeline.LayoutAdmin
	lease  pipeline.Lease
	e      Export
	at     int64 // watermark stored
	held   []pipeline.Change
	bytes  int
	stored int64
}

// importBytes is what a checkpoint of an import holds at most, unless one
// value is larger.
const importBytes = 2 << 20

// BeginImport clears the partition, if its meta is still as seen, and claims
// it. ErrFenced says that a worker has taken it meanwhile.
func BeginImport(ctx context.Context, s pipeline.Store, k pipeline.StateAdmin, l pipeline.LayoutAdmin, p pipeline.Partition, seen pipeline.Meta, e Export) (*Import, error) {
	im := &Import{store: s, amend: l, lease: pipeline.NewLease(p), e: e, at: -1}
	if err := k.Clear(ctx, im.lease, seen); err != nil {
		return nil, err
	}
	return im, nil
}

// Put adds a value. Keys come once each.
func (im *Import) Put(ctx context.Context, key string, value pipeline.Stored) error {
	if im.bytes > 0 && im.bytes+len(value) > importBytes {
		if err := im.flush(ctx); err != nil {
			return err
		}
	}
	im.held = append(im.held, pipeline.Change{Key: key, Value: value})
	im.bytes += len(key) + len(value)
	im.stored++
	return nil
}

// flush saves what is held under a configuration that no worker has, at watermark 0.
func (im *Import) flush(ctx context.Context) error {
	c := pipeline.Checkpoint{From: im.at, Last: pipeline.Last{Offset: -1}, Changes: im.held}
	if im.at == -1 {
		c.Origin = im.e.Origin
		c.Configured = []pipeline.Configured{{Fingerprint: unfinishedImport, Core: unfinishedImport}}
	}
	if err := im.save(ctx, c); err != nil {
		return err
	}
	im.at = 0
	im.held, im.bytes = nil, 0
	return nil
}

func (im *Import) save(ctx context.Context, c pipeline.Checkpoint) error {
	if c.To == c.From {
		return im.amend.Amend(ctx, im.lease, c)
	}
	return im.store.Save(ctx, im.lease, c)
}

// Finish saves the rest, and with it the watermark and all that belongs to it.
// Before it the partition is not usable, after it it is as it was exported.
func (im *Import) Finish(ctx context.Context) error {
	if im.stored != im.e.Keys {
		return fmt.Errorf("partition %s: %d values for %d keys", im.lease.Partition, im.stored, im.e.Keys)
	}
	gaps := im.e.Gaps
	if gaps == nil {
		gaps = []pipeline.Gap{}
	}
	return im.save(ctx, pipeline.Checkpoint{
		From: im.at, To: im.e.Watermark, Origin: im.e.Origin, Topic: im.e.Topic, Last: im.e.Last,
		Configured: im.e.Config, Gaps: gaps, Minutes: im.e.Minutes, Changes: im.held,
	})
}

// Fits says why exported state can't go on under these rules on this log, nil
// when it can.
func (e *Export) Fits(r *pipeline.Rules, p pipeline.Partition, log pipeline.LogState) error {
	switch {
	case e.Format != pipeline.StateFormat:
		return fmt.Errorf("it has format %d, this program writes format %d", e.Format, pipeline.StateFormat)
	case len(e.Config) == 0:
		return errors.New("it does not say under which configuration it was made")
	case log.Start > e.Watermark:
		return fmt.Errorf("its watermark is %d and the log begins at %d: %d records are gone that it does not know", e.Watermark, log.Start, log.Start-e.Watermark)
	}
	if _, why := log.Another(p, pipeline.Meta{Topic: e.Topic, Watermark: e.Watermark, Last: e.Last}); why != "" {
		return errors.New(why)
	}
	if !r.Accepts(e.Config) {
		return fmt.Errorf("it was made under configuration %.16s, the present one is %s", e.Config[len(e.Config)-1].Fingerprint, r.Config())
	}
	return nil
}

// Reset puts a partition back to where its group began, without any state, so
// that workers rebuild it from the log. It is a compare-and-set on meta as
// seen: ErrFenced says that it has moved on.
func Reset(ctx context.Context, s pipeline.Store, k pipeline.StateAdmin, p pipeline.Partition, seen pipeline.Meta, r *pipeline.Rules) error {
	lease := pipeline.NewLease(p)
	if err := k.Clear(ctx, lease, seen); err != nil {
		return err
	}
	return s.Save(ctx, lease, pipeline.Checkpoint{From: -1, To: seen.Origin, Origin: seen.Origin, Topic: seen.Topic, Last: pipeline.Last{Offset: -1}, Configured: r.Recorded(seen.Origin)})
}
