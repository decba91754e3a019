package pipeline

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Stage says where a dead letter failed.
type Stage string

// The stages, in the order that a record passes them.
const (
	StageLimit   Stage = "limit" // of a prefix: of its keys, before the record is looked at, or of a state's bytes
	StageDecode  Stage = "decode"
	StageSchema  Stage = "schema"
	StageCheck   Stage = "check"
	StageNumeric Stage = "numeric"
	StageFault   Stage = "fault" // at whatever stage: the program panicked, which is not the record's fault
)

var stages = [...]Stage{StageLimit, StageDecode, StageSchema, StageCheck, StageNumeric, StageFault}

// Stages returns them all.
func Stages() []Stage { return slices.Clone(stages[:]) }

// guarded runs what may panic while its key's state is not changed: that costs the
// record alone, as failed arithmetic does.
func guarded[T any](f func() (T, error)) (v T, err error) {
	defer fault.Catch(&err)
	return f()
}

const (
	unapplied = "the arithmetic failed on this shard; it was not applied"
	// faulty is told of a record that was not applied because the program panicked.
	faulty = "a fault of Credence, not of this record, which was not applied: report it, and replay the letter with a release that has it mended"
)

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
	case StageFault:
		t.result.Fault = fault.In(err)
		reason = faulty + ": " + reason
	}
	return l.dead(t, stage, reason)
}

// spoilt makes a record that failed before a dead letter; more is said at the end.
func (l *lane) spoilt(t *task, more string) error {
	if t.fault == nil {
		return l.dead(t, StageNumeric, unapplied+more)
	}
	t.result.Fault = t.fault
	return l.dead(t, StageFault, faulty+": "+t.fault.Error()+more)
}

// one applies one record. A panic may leave its key's state half changed.
func (l *lane) one(t *task) (err error) {
	l.span = l.traces.record(l.part, t.record)
	defer func() { l.span.end(t, err) }()
	if err = l.try(t); fault.In(err) != nil || t.result.Fault != nil {
		err = l.afresh(t, err)
	}
	return err
}

// try is one that leaves what it worked with as a panic does.
func (l *lane) try(t *task) (err error) {
	defer fault.Catch(&err)
	before := len(l.outs)
	err = l.route(t)
	for i := before; i < len(l.outs); i++ {
		t.outBytes += l.outs[i].Size()
	}
	if t.entry != nil && err == nil {
		s := t.entry.state
		t.size, t.lives = s.size(t.entry.key), s.model != nil || s.stored != nil
	}
	return err
}

// afresh leaves nothing that a panic was in the middle of to the records that come: the
// tools are others, and of the key's state only its bytes are kept, as after a restart. An
// error says that the state is lost, or else is err.
func (l *lane) afresh(t *task, err error) (lost error) {
	defer fault.Catch(&lost)
	l.renew()
	if err != nil || t.entry == nil {
		return err
	}
	s := t.entry.state
	if _, err := s.encode(&l.room); err != nil {
		return err
	}
	s.model = nil
	t.size, t.lives = s.size(t.entry.key), s.stored != nil
	return nil
}

// stageOf returns the stage at which an error is the fault of a record, "" where it is
// not.
func stageOf(err error) Stage {
	switch {
	case errors.Is(err, cdf.ErrLost):
		return ""
	case fault.In(err) != nil:
		return StageFault
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

// Faults that are told of again and again are told of once in a while.
const (
	faultPause = time.Minute // between two lines about one place
	mostPlaces = 200         // that are told apart
)

// faultLog logs panics with their stack: one line in a minute for each place of the
// program, however many records meet it. It is used by all partitions.
type faultLog struct {
	mu     sync.Mutex
	places map[string]*toldFault
}

type toldFault struct {
	at     time.Time
	others int64 // since
}

// report logs the faults that tasks met.
func (l *faultLog) report(log *slog.Logger, p Partition, tasks []task) {
	for i := range tasks {
		f := tasks[i].result.Fault
		if f == nil {
			continue
		}
		others, due := l.due(f.Place, time.Now())
		if !due {
			continue
		}
		kind := ""
		if s := tasks[i].spec; s != nil {
			kind = s.Kind
		}
		log.Error("fault of the program", "topic", p.Topic, "partition", p.ID, "offset", tasks[i].record.Offset, "kind", kind,
			"panic", f.What, "place", f.Place, "others", others, "applied", tasks[i].result.Dead == "",
			"advice", "this is a mistake in Credence and not in the record: report this line; replay dead letters of stage fault with a release that has it mended", "stack", f.Stack)
	}
}

// due reports whether a line about the place is due, and how many faults there were no line
// about the last one told of.
func (l *faultLog) due(place string, now time.Time) (others int64, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := l.places[place]
	if told == nil {
		if l.places == nil {
			l.places = map[string]*toldFault{}
		}
		if len(l.places) == mostPlaces {
			clear(l.places)
		}
		l.places[place] = &toldFault{at: now}
		return 0, true
	}
	if now.Sub(told.at) < faultPause {
		told.others++
		return 0, false
	}
	others = told.others
	*told = toldFault{at: now}
	return others, true
}
