package pipeline

import (
	"errors"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/quota"
)

// guarded runs what a record can make panic before its key's state is changed:
// the panic is then the record's fault, as failed arithmetic is.
func guarded[T any](f func() (T, error)) (v T, err error) {
	defer caught(&err)
	return f()
}

// caught, deferred, makes a panic an error.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: panic: %v", cdf.ErrNumeric, p)
	}
}

// refuse makes a record that cannot be applied a dead letter. Its key's state is
// as it was before. An error of another kind goes up: the state is lost, and the
// partition's memory is dropped before the record becomes a dead letter, unapplied.
func (l *lane) refuse(t *task, err error) error {
	stage, reason := stageOf(err), err.Error()
	if over := new(overError); errors.As(err, &over) {
		t.over = over.Over
	}
	switch stage {
	case "":
		return err
	case StageNumeric:
		reason = unapplied + ": " + reason
	}
	return l.dead(t, stage, reason)
}

// stageOf returns the stage at which an error is the fault of a record, "" where it is
// not.
func stageOf(err error) Stage {
	switch {
	case errors.Is(err, cdf.ErrNumeric):
		return StageNumeric
	case errors.Is(err, ErrDecode):
		return StageDecode
	case errors.Is(err, cdf.ErrSchema):
		return StageSchema
	case errors.Is(err, cdf.ErrShard):
		return StageCheck
	case errors.As(err, new(*overError)):
		return StageLimit
	}
	return ""
}

// overError is the limit of a state's bytes that a shard has met.
type overError struct{ quota.Over }

func (e *overError) Error() string { return e.Reason }

// mostState bounds the state of a key with its summary: Redis takes values of 512 MiB, and closes the
// connection of a larger one. What else a value has is a megabyte at most.
const mostState = 500 << 20

// fits holds the state that a shard has led to against the limit of its key's prefix, and against what the
// store takes.
func (l *lane) fits(key string, f *cdf.Filter, record int) error {
	all := l.rules.limits.Prefixes
	at := quota.Place(all, key)
	limited := at >= 0 && all[at].KeyBytes > 0
	large := mayBeLarge(f.ModelBytes(), record) && f.Size() > mostState/4 // it is not four times as large in the store as here
	if !limited && !large {
		return nil
	}
	snapshot, err := f.AppendBinary(l.room[:0])
	if err != nil {
		return err
	}
	if cap(snapshot) <= roomBytes {
		l.room = snapshot[:0]
	}
	if limited {
		if over := all[at].OverBytes(len(snapshot)); over.Limit != "" {
			return &overError{over}
		}
	}
	if !large {
		return nil
	}
	return storable(f, len(snapshot), mostState)
}

// mayBeLarge reports whether it is worth to look how large a state is, whose model had so many bytes
// before a record of others: groups have 20 bytes or more there, and names of a kilobyte at most beside.
func mayBeLarge(model, record int) bool { return model == 0 || model > 1<<20 || record > 1<<20 }

// storable returns an error where a snapshot of n bytes and its summary are more than the store takes.
func storable(f *cdf.Filter, n, most int) error {
	if n += len(f.AppendSummary(nil)); n <= most {
		return nil
	}
	return &overError{quota.Over{Reason: fmt.Sprintf("the record would make the state of its key %d bytes large; the store takes %d. "+
		"The state is as it was: let the model have fewer columns or groups", n, most)}}
}

func (l *lane) dead(t *task, stage Stage, reason string) error {
	l.outs = append(l.outs, l.outputs.Dead(l.part, t.record, stage, reason))
	t.result.Dead = stage
	l.note(t, func() *Point {
		return &Point{Key: string(t.record.Key), Partition: l.part.ID, Offset: t.record.Offset, Time: t.record.Time, Dead: stage}
	})
	return nil
}
