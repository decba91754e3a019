package admin

import (
	"cmp"
	"context"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// Past recomputes what the state of one key was at an earlier place in the log. It
// claims nothing and writes nothing, and holds no more than that state and one fetch.
type Past struct {
	Log     pipeline.Log // to look at what there is
	Store   pipeline.Store
	Reader  pipeline.Reader
	Layouts pipeline.LayoutAdmin // to read
	Rules   *pipeline.Rules
	// NewLog, NewDecoder and NewOutputs are those of a Verifier. What the outputs are asked
	// to encode is what was published, bit for bit, under the present publish settings.
	NewLog     func(pipeline.Limits) (pipeline.Log, error)
	NewDecoder func(pipeline.Limits) pipeline.Decoder
	NewOutputs func(pipeline.Limits) pipeline.Outputs
	// Advance, when not nil, is told how many of how many offsets were dealt with.
	Advance func(offsets, of int64)
}

// TrimmedError says that the log no longer has what a state was made of.
type TrimmedError struct {
	Partition     pipeline.Partition
	Origin, Start int64         // where the group began, and where the log begins
	Lack          pipeline.Lack // where the log begins with the group, and has not all offsets since
}

// Error names the offsets.
func (e *TrimmedError) Error() string {
	if e.Lack.Count > 0 {
		return fmt.Sprintf("the log of %s was compacted: it lacks %d offsets, the first of them %d, and what was learnt from them can't be recomputed (cleanup.policy=delete keeps all)",
			e.Partition, e.Lack.Count, e.Lack.First)
	}
	return fmt.Sprintf("the group began at offset %d of %s and the log now begins at %d: what was learnt from the %d offsets between can't be recomputed",
		e.Origin, e.Partition, e.Start, e.Start-e.Origin)
}

// At returns the value that was stored of a key once all records below an offset were
// applied, nil where the key had none. *TrimmedError says that the log does not go back
// far enough. A topic that was rescaled is refused: it has some of the past in other
// partitions.
func (v *Past) At(ctx context.Context, p pipeline.Partition, key string, below int64) (pipeline.Stored, error) {
	meta, log, err := v.known(ctx, p, below)
	if err != nil {
		return nil, err
	}
	var state *pipeline.Recomputed
	var current pipeline.Configured
	ended := false // a tombstone has come
	ledger, err := pipeline.NewLedger(meta.Configured, key)
	if err != nil {
		return nil, err
	}
	w := walk{
		p: p, from: pipeline.Position{Offset: meta.Origin, Topic: log.Identity.Topic}, through: below, configured: meta.Configured,
		under: func(c pipeline.Configured) (*reading, error) {
			current = c
			r, err := v.under(p, c, state)
			if err == nil {
				r.recomputer.Keep(ledger)
			}
			return r, err
		},
		apply: func(r *reading, record *pipeline.Record) error {
			switch {
			case within(meta.Gaps, record.Offset):
				return nil
			case string(record.Key) != key:
				return r.recomputer.Follow(record)
			}
			r.recomputer.Say(current, passed(meta.Gaps, record.Offset))
			state, err = r.recomputer.Apply(state, record)
			ended = ended || state == nil
			return err
		},
	}
	if v.Advance != nil {
		w.advance = func(n int64) { v.Advance(n, below-meta.Origin) }
	}
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	if w.lack.Count == 0 {
		if state == nil {
			return nil, nil
		}
		return state.Value()
	}
	// What is gone may be of other keys: then the log gives what is stored now as well, which came of that state.
	gone := &TrimmedError{Partition: p, Origin: meta.Origin, Start: log.Start, Lack: w.lack}
	if state == nil {
		return nil, gone
	}
	then, err := state.Value()
	if err != nil {
		return nil, err
	}
	now, err := v.stored(ctx, p, key)
	if err != nil || now == nil {
		return nil, cmp.Or(err, error(gone))
	}
	w.from.Offset, w.through, w.advance, ended = below, now.Offset+1, nil, false
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	if ended || !comesTo(key, state, now) {
		return nil, gone
	}
	return then, nil
}

// known returns what the store says of a partition and where its log is, with an error where
// these do not tell what was below an offset.
func (v *Past) known(ctx context.Context, p pipeline.Partition, below int64) (meta pipeline.Meta, log pipeline.LogState, err error) {
	layout, err := v.Layouts.Layout(ctx, p.Topic)
	if err != nil {
		return meta, log, err
	}
	if len(layout.Past) > 0 || layout.Moving != nil {
		return meta, log, fmt.Errorf("topic %s was rescaled: what the key learnt before is in other partitions, and its past cannot be asked for. "+
			"Its state of then is in the export that rescale wrote", p.Topic)
	}
	meta, err = v.Store.Meta(ctx, p)
	if err != nil {
		return meta, log, err
	}
	log, err = pipeline.ReadLogState(ctx, v.Log, p, meta.Last)
	if err != nil {
		return meta, log, err
	}
	if !meta.Exists {
		meta.Origin, meta.Configured = log.Start, v.Rules.Recorded(log.Start)
	} else if _, why := log.Another(p, meta); why != "" {
		return meta, log, fmt.Errorf("%s: %s", p, why)
	}
	switch {
	case !v.Rules.SameModels(meta.Configured):
		return meta, log, fmt.Errorf("%s: %w: configuration %s; this is %s", p, errConfigured, recordedUnder(meta), v.Rules.Config())
	case below > log.End:
		return meta, log, fmt.Errorf("the log of %s ends at offset %d: what follows offset %d is not known yet", p, log.End, below-1)
	case below < meta.Origin:
		return meta, log, fmt.Errorf("the group began at offset %d of %s: offset %d lies before", meta.Origin, p, below-1)
	case log.Start > meta.Origin:
		return meta, log, &TrimmedError{Partition: p, Origin: meta.Origin, Start: log.Start}
	}
	return meta, log, nil
}

// stored returns what is stored of a key, nil for nothing.
func (v *Past) stored(ctx context.Context, p pipeline.Partition, key string) (*pipeline.StoredState, error) {
	value, err := v.Reader.Get(ctx, p, key)
	if err != nil || value == nil {
		return nil, err
	}
	state, err := pipeline.ParseStored(key, value)
	return &state, err
}

// comesTo reports whether a recomputed state is the one that is stored.
func comesTo(key string, state *pipeline.Recomputed, stored *pipeline.StoredState) bool {
	value, err := state.Value()
	if err != nil {
		return false
	}
	got, err := pipeline.ParseStored(key, value)
	return err == nil && essence(&got.Envelope) == essence(&stored.Envelope)
}

// under reads and applies under a configuration's limits from here on.
func (v *Past) under(p pipeline.Partition, recorded pipeline.Configured, state *pipeline.Recomputed) (*reading, error) {
	r, err := readingUnder(v.Rules, p, recorded, v.NewLog, v.NewDecoder, v.NewOutputs)
	if err != nil || state == nil {
		return r, err
	}
	return r, r.recomputer.Adopt(state)
}

// within reports whether an offset lies in a gap that was given up.
func within(gaps []pipeline.Gap, offset int64) bool {
	for _, g := range gaps {
		if offset >= g.From && offset < g.To {
			return true
		}
	}
	return false
}

// passed counts the gaps below an offset.
func passed(gaps []pipeline.Gap, offset int64) (n int) {
	for _, g := range gaps {
		if g.To <= offset {
			n++
		}
	}
	return n
}
