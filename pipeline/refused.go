package pipeline

import (
	"errors"
	"fmt"

	"github.com/credence-stream/credence/cdf"
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
	}
	return ""
}

func (l *lane) dead(t *task, stage Stage, reason string) error {
	l.outs = append(l.outs, l.outputs.Dead(l.part, t.record, stage, reason))
	t.result.Dead = stage
	l.note(t, func() *Point {
		return &Point{Key: string(t.record.Key), Partition: l.part.ID, Offset: t.record.Offset, Time: t.record.Time, Dead: stage}
	})
	return nil
}
