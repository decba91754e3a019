package pipeline

import (
	"context"
	"errors"
	"fmt"
)

// Export is what a partition's state is exported as beside its values.
type Export struct {
	Partition int32        `json:"partition"`
	Watermark int64        `json:"watermark"`
	Origin    int64        `json:"origin"`
	Keys      int64        `json:"keys"`
	Last      Last         `json:"last"`
	Config    []Configured `json:"configured"`
	Gaps      []Gap        `json:"gaps"`
	Format    int          `json:"format"`
}

// Collect calls visit for every stored value of a partition that match takes, in
// byte order, all of one watermark, and returns what belongs to them; false
// where nothing is stored. When a worker has moved the watermark in between, it
// calls again, with the attempt's number from 2 on, and begins anew; after
// attempts it gives up with an error.
func Collect(ctx context.Context, s Store, r Reader, p Partition, attempts int, match func(string) bool,
	again func(attempt int) error, visit func(key string, value Stored) error) (Export, bool, error) {
	for try := 1; ; try++ {
		before, err := s.Meta(ctx, p)
		if err != nil || !before.Exists {
			return Export{}, false, err
		}
		if before.Format != StateFormat {
			return Export{}, false, fmt.Errorf("the state of %s has format %d, this program reads %d", p, before.Format, StateFormat)
		}
		if before.unfinished() {
			return Export{}, false, fmt.Errorf("the state of %s is half an import: run the import again first", p)
		}
		err = each(ctx, r, p, match, visit)
		var lost *goneError
		if err != nil && !errors.As(err, &lost) {
			return Export{}, false, err
		}
		after, merr := s.Meta(ctx, p)
		if merr != nil {
			return Export{}, false, merr
		}
		if after.Watermark == before.Watermark && after.Exists {
			return Export{
				Partition: p.ID, Watermark: after.Watermark, Origin: after.Origin, Keys: after.Keys, Last: after.Last,
				Config: after.Configured, Gaps: after.Gaps, Format: after.Format,
			}, true, err
		}
		if try == attempts {
			return Export{}, false, fmt.Errorf("the state of %s moved on %d times while it was read (offset %d, then %d): stop its consumer for a moment, or wait for a quiet one",
				p, attempts, before.Watermark, after.Watermark)
		}
		if err := again(try + 1); err != nil {
			return Export{}, false, err
		}
	}
}

// goneError is a key that was listed and has no value.
type goneError struct {
	p   Partition
	key string
}

func (e *goneError) Error() string {
	return fmt.Sprintf("damaged state: key %q of %s is listed and has no value; see state repair", e.key, e.p)
}

func each(ctx context.Context, r Reader, p Partition, match func(string) bool, visit func(string, Stored) error) error {
	const page = 512
	r = Ahead(r, match)
	for after := ""; ; {
		keys, err := r.Keys(ctx, p, "", after, page)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if match != nil && !match(key) {
				continue
			}
			value, err := r.Get(ctx, p, key)
			if err != nil {
				return err
			}
			if value == nil {
				return &goneError{p, key}
			}
			if err := visit(key, value); err != nil {
				return err
			}
		}
		if len(keys) < page {
			return nil
		}
		after = keys[len(keys)-1]
	}
}

// unfinishedImport stands for a configuration while a partition is imported in
// more than one checkpoint: no worker has it, so that any halts until the last
// one, which puts watermark and configuration right in one compare-and-set.
// A worker says its first 16 bytes.
const unfinishedImport = "half an import"

// unfinished reports whether the state is part of an import that did not end.
func (m Meta) unfinished() bool {
	return m.Exists && len(m.Configured) == 1 && m.Configured[0].Core == unfinishedImport
}

// Unfinished reports whether an import into the partition did not come to its
// end. It is run again, and begins anew.
func (m Meta) Unfinished() bool { return m.unfinished() }

// Import takes a partition over and puts state into it.
type Import struct {
	store  Store
	lease  Lease
	e      Export
	step   int64 // watermark of the next checkpoint but the last
	at     int64 // watermark stored
	held   []Change
	bytes  int
	stored int64
}

// importBytes is what a checkpoint of an import holds at most, unless one
// value is larger.
const importBytes = 2 << 20

// BeginImport clears the partition, if its meta is still as seen, and claims
// it. ErrFenced says that a worker has taken it meanwhile.
func BeginImport(ctx context.Context, s Store, k Keeper, p Partition, seen Meta, e Export) (*Import, error) {
	im := &Import{store: s, lease: NewLease(p), e: e, at: -1}
	if err := k.Clear(ctx, im.lease, seen); err != nil {
		return nil, err
	}
	return im, nil
}

// Put adds a value. Keys come once each.
func (im *Import) Put(ctx context.Context, key string, value Stored) error {
	if im.bytes > 0 && im.bytes+len(value) > importBytes {
		if err := im.flush(ctx); err != nil {
			return err
		}
	}
	im.held = append(im.held, Change{key, value})
	im.bytes += len(key) + len(value)
	im.stored++
	return nil
}

// flush saves what is held under a configuration that no worker has. The
// watermark only counts: each checkpoint has at least one key and each key
// had a record, so it stays below the last one.
func (im *Import) flush(ctx context.Context) error {
	c := Checkpoint{From: im.at, To: im.step, Last: Last{Offset: -1}, Changes: im.held}
	if im.at == -1 {
		c.Origin = im.e.Origin
		c.Configured = []Configured{{Fingerprint: unfinishedImport, Core: unfinishedImport}}
	}
	if im.step >= im.e.Watermark {
		return fmt.Errorf("partition %s: more keys than its watermark %d allows", im.lease.Partition, im.e.Watermark)
	}
	if err := im.store.Save(ctx, im.lease, c); err != nil {
		return err
	}
	im.at, im.step = im.step, im.step+1
	im.held, im.bytes = nil, 0
	return nil
}

// Finish saves the rest, and with it the watermark and all that belongs to it.
// Before it the partition is not usable, after it it is as it was exported.
func (im *Import) Finish(ctx context.Context) error {
	if im.stored != im.e.Keys {
		return fmt.Errorf("partition %s: %d values for %d keys", im.lease.Partition, im.stored, im.e.Keys)
	}
	gaps := im.e.Gaps
	if gaps == nil {
		gaps = []Gap{}
	}
	return im.store.Save(ctx, im.lease, Checkpoint{
		From: im.at, To: im.e.Watermark, Origin: im.e.Origin, Last: im.e.Last,
		Configured: im.e.Config, Gaps: gaps, Changes: im.held,
	})
}

// Fits says why exported state can't go on under these rules on this log, nil
// when it can. record is the one at e.Last.Offset, nil where the log has it no
// more.
func (r *Rules) Fits(e Export, start, end int64, record *Record) error {
	switch {
	case e.Format != StateFormat:
		return fmt.Errorf("it has format %d, this program writes format %d", e.Format, StateFormat)
	case len(e.Config) == 0:
		return errors.New("it does not say under which configuration it was made")
	case end < e.Watermark:
		return fmt.Errorf("its watermark is %d and the log ends at %d", e.Watermark, end)
	case start > e.Watermark:
		return fmt.Errorf("its watermark is %d and the log begins at %d: %d records are gone that it does not know", e.Watermark, start, start-e.Watermark)
	case record != nil && recreated(e.Last, record):
		return fmt.Errorf("the record at offset %d is not the one that it has applied: this is another topic, or it was recreated", e.Last.Offset)
	}
	if _, ok := r.accept(e.Config, e.Watermark); !ok {
		return fmt.Errorf("it was made under configuration %.16s, the present one is %s", e.Config[len(e.Config)-1].Fingerprint, r.Config())
	}
	return nil
}

// Reset puts a partition back to where its group began, without any state, so
// that workers rebuild it from the log. It is a compare-and-set on meta as
// seen: ErrFenced says that it has moved on.
func Reset(ctx context.Context, s Store, k Keeper, p Partition, seen Meta, r *Rules) error {
	lease := NewLease(p)
	if err := k.Clear(ctx, lease, seen); err != nil {
		return err
	}
	configured, _ := r.accept(nil, seen.Origin)
	return s.Save(ctx, lease, Checkpoint{From: -1, To: seen.Origin, Origin: seen.Origin, Last: Last{Offset: -1}, Configured: configured})
}

// LastOf returns the record that an export ends with, where the log still has
// it.
func LastOf(ctx context.Context, l Log, p Partition, e Export, start, end int64) (*Record, error) {
	if e.Last.Offset < start || e.Last.Offset >= end {
		return nil, nil
	}
	got, err := l.Fetch(ctx, p, e.Last.Offset, 1)
	if err != nil || len(got.Records) == 0 || got.Records[0].Offset != e.Last.Offset {
		return nil, err
	}
	return &got.Records[0], nil
}
