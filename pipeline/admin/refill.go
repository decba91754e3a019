package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

// Refill replaces the states of a topic by those of an export. It is run once. Until it has come
// to its end a named mark is in the layout, for which workers halt and another import is refused.
// A failover of the store costs a run at most.
type Refill struct {
	Topic  string
	Count  int // partitions of the topic
	Mark   pipeline.Importing
	Force  bool                // take the place of an import that has left its mark
	Parts  map[int32]Export    // of the partitions that the export has states of
	Past   []pipeline.Era      // of the export
	Metas  []pipeline.Meta     // of all partitions, as they were when it was agreed to replace them
	Layout pipeline.Layout     // same
	Next   func() (Row, error) // returns the next value, in the order of partitions; io.EOF behind the last

	Store   pipeline.Store
	Admin   pipeline.StateAdmin
	Layouts pipeline.LayoutAdmin

	// MayNote returns an error if Note would be refused.
	MayNote func(context.Context) error
	// Note has the group note its offsets outside of the store: where that is lost later, workers
	// learn from them that it is.
	Note func(ctx context.Context, at map[int32]pipeline.GroupOffset) error
	// Unnote has it note again what it had before Note, also where that has failed.
	Unnote func(context.Context) error

	layout  pipeline.Layout // as it is stored
	leases  []string        // token by partition, "": it was left as it was
	noted   bool            // offsets may be
	changed bool            // partitions may not be what they were
	whole   bool            // all of them are as they are to be
}

// Row is a value of an export.
type Row struct {
	Partition int32
	Key       string
	Value     pipeline.Stored
}

// ErrImporting reports that another import has left its mark.
var ErrImporting = errors.New("another import is under way")

// Occupied returns ErrImporting, wrapped, with what to do about it, unless there is no
// other import, or none that may be at work.
func Occupied(l pipeline.Layout) error {
	if i := l.Importing; i != nil && !i.Ended {
		return fmt.Errorf("%w, %s: wait for it, or if it was killed take its place with --force, which takes its mark back", ErrImporting, i)
	}
	return nil
}

// Run imports. ErrFenced, wrapped, says that a worker or another import came in between, or
// that the store has lost something. An error says what became of the states.
func (r *Refill) Run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.check, r.mark, r.note, r.write, r.confirm, r.takeBack} {
		if err := step(ctx); err != nil {
			return r.failed(ctx, err)
		}
	}
	return nil
}

// check looks at what would fail later, before anything is changed.
func (r *Refill) check(ctx context.Context) error {
	r.layout, r.leases = r.Layout, make([]string, r.Count)
	if err := Occupied(r.Layout); err != nil && !r.Force {
		return err
	}
	if err := r.MayNote(ctx); err != nil {
		return err
	}
	return r.Layouts.Replicated(ctx, r.Topic, r.Count)
}

// mark has workers halt: to one that finds a partition empty that is not filled yet, or states of
// another number of partitions, it would look as if the group was new, or they were right.
func (r *Refill) mark(ctx context.Context) error {
	if l := r.Layout; l.Partitions != pipeline.Rescales {
		r.Mark.Found = &pipeline.Found{Partitions: l.Partitions, Past: l.Past, States: statesOf(r.Metas)}
	}
	return r.put(ctx, pipeline.Layout{Partitions: pipeline.Rescales, Past: r.Past, Importing: &r.Mark})
}

func (r *Refill) put(ctx context.Context, next pipeline.Layout) error {
	if err := replaceLayout(ctx, r.Layouts, r.Topic, r.layout, next); err != nil {
		return err
	}
	r.layout = next
	return nil
}

// takeBack has workers go on.
func (r *Refill) takeBack(ctx context.Context) error {
	r.whole = true
	return r.put(ctx, pipeline.Layout{Partitions: r.Count, Past: r.Past})
}

// note leaves word outside of the store before the first state is gone.
func (r *Refill) note(ctx context.Context) error {
	at := map[int32]pipeline.GroupOffset{}
	filled := pipeline.Layout{Partitions: r.Count, Past: r.Past}
	for id, e := range r.Parts {
		at[id] = pipeline.GroupOffset{Offset: e.Watermark, Origin: e.Origin, Rescaled: filled.Rescaled()}
	}
	r.noted = true
	return r.Note(ctx, at)
}

// write puts the values into the store, partition by partition, and clears the partitions that
// the export has nothing of.
func (r *Refill) write(ctx context.Context) error {
	row, err := r.Next()
	for id, meta := range r.Metas {
		p := pipeline.Partition{Topic: r.Topic, ID: int32(id)}
		e, ok := r.Parts[p.ID]
		if !ok {
			if err := r.vacate(ctx, p, meta); err != nil {
				return err
			}
			continue
		}
		im, berr := BeginImport(ctx, r.Store, r.Admin, r.Layouts, p, meta, e)
		r.changed = r.changed || !errors.Is(berr, pipeline.ErrFenced)
		if berr != nil {
			return berr
		}
		r.leases[id] = im.lease.Token
		for ; err == nil && row.Partition == p.ID; row, err = r.Next() {
			if err := im.Put(ctx, row.Key, row.Value); err != nil {
				return err
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := im.Finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// vacate clears a partition, if anything is left in it.
func (r *Refill) vacate(ctx context.Context, p pipeline.Partition, meta pipeline.Meta) error {
	empty, err := r.empty(ctx, p)
	if err != nil && !errors.Is(err, pipeline.ErrDamaged) || empty && !meta.Exists {
		return err
	}
	lease := pipeline.NewLease(p)
	err = r.Admin.Clear(ctx, lease, meta)
	r.changed = r.changed || !errors.Is(err, pipeline.ErrFenced)
	return err
}

// empty reports whether a partition has no values.
func (r *Refill) empty(ctx context.Context, p pipeline.Partition) (bool, error) {
	audit, err := r.Admin.Audit(ctx, p)
	return audit.Held+audit.Listed == 0 && err == nil, err
}

// confirm looks whether all is there that was written, once the replicas of the store have
// it: a master that dies later has it in its successor, and one that died before is noticed.
func (r *Refill) confirm(ctx context.Context) error {
	if err := r.Layouts.Replicated(ctx, r.Topic, r.Count); err != nil {
		return err
	}
	for id := range r.Metas {
		p := pipeline.Partition{Topic: r.Topic, ID: int32(id)}
		meta, err := r.Store.Meta(ctx, p)
		if err != nil {
			return err
		}
		audit, err := r.Admin.Audit(ctx, p)
		if err != nil {
			return err
		}
		e, ok := r.Parts[p.ID]
		switch {
		case !ok && (meta.Exists || audit.Held+audit.Listed > 0):
			return fmt.Errorf("%w: %s has states again that were deleted: the store has lost what it had acknowledged, as in a failover", pipeline.ErrFenced, p)
		case ok && (meta.Owner != r.leases[id] || meta.Watermark != e.Watermark || meta.Keys != e.Keys || !audit.Whole() || !reflect.DeepEqual(meta.Configured, e.Config)):
			return fmt.Errorf("%w: %s has %d keys at offset %d, and %d at %d were imported: the store has lost what it had acknowledged, as in a failover",
				pipeline.ErrFenced, p, meta.Keys, meta.Watermark, e.Keys, e.Watermark)
		}
	}
	return nil
}

// endWithin is how long a failed run tries to tell of itself.
const endWithin = 5 * time.Second

// failed is what a run leaves behind: its mark is taken back where the states are what they were, and
// else says that nobody is at work. One that another import has replaced is not touched. It
// returns the error with what to do.
func (r *Refill) failed(ctx context.Context, err error) error {
	if errors.Is(err, pipeline.ErrFenced) {
		err = fmt.Errorf("%w: a consumer or another import came in between, or the store has lost what it had acknowledged", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	now, lerr := r.Layouts.Layout(ctx, r.Topic)
	ours := lerr == nil && now.Importing != nil && now.Importing.ID == r.Mark.ID
	if ours && r.noted && !r.changed { // while the mark keeps others from noting theirs
		if nerr := r.Unnote(ctx); nerr != nil {
			err = fmt.Errorf("%w; the offsets that it has noted for the group stay (%w)", err, nerr)
		}
	}
	if ours {
		next := r.Layout
		if r.changed {
			ended := r.Mark
			ended.Ended = true
			next = now
			next.Importing = &ended
		}
		lerr = r.Layouts.SetLayout(ctx, r.Topic, now, next)
	}
	switch {
	case ours && lerr != nil:
		return fmt.Errorf("%w; its mark stays (%w): run it again with --force, consumers halt until it has come to its end", err, lerr)
	case !r.changed:
		return err
	case ours, lerr != nil:
		return fmt.Errorf("%w; run it again: consumers halt until it has come to its end", err)
	case now.Importing != nil:
		return fmt.Errorf("%w; consumers halt until another import, %s, has come to its end", err, now.Importing)
	case r.whole:
		return fmt.Errorf("%w; the states are imported, and consumers go on: run it again if they halt, for a failover of the store may bring the mark back", err)
	}
	return fmt.Errorf("%w; its mark is lost, and consumers would not halt: keep them stopped, and run it again with --force", err)
}
