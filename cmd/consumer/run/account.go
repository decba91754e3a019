package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

// Account is what became of the records that a worker took.
type Account struct {
	pipeline.Tally
	Keys  int64 // with a state; -1: the store could not be asked
	Took  time.Duration
	Ended bool // all that was there is done
	names cli.Names
	file  string // of the configuration for other commands; "": its servers have ended
}

// accounting bounds the wait for a store that may be away.
const accounting = 5 * time.Second

// Account returns what became of the records so far, also after ctx has ended.
func (s *Service) Account(ctx context.Context) Account {
	s.mu.Lock()
	began, ended := s.began, s.ended
	s.mu.Unlock()
	a := Account{Tally: s.worker.Tally(), Keys: -1, Took: time.Since(began), Ended: ended, names: s.names, file: s.config.File}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), accounting)
	defer cancel()
	if metas, err := s.Metas(ctx); err == nil {
		a.Keys = 0
		for _, m := range metas {
			a.Keys += m.Keys
		}
	}
	return a
}

// String is the account in one paragraph.
func (a Account) String() string {
	var b strings.Builder
	b.WriteString("stopped before the end, after ")
	if a.Ended {
		b.Reset()
		b.WriteString("reached the end in ")
	}
	dead := a.dead()
	fmt.Fprintf(&b, "%.1f s: %s, %s (%s per second)", a.Took.Seconds(), cli.Plural(a.Applied+a.Skipped+dead, "record"), cli.Plural(a.Rows, "row"), cli.Count(a.rate()))
	if a.Keys >= 0 {
		fmt.Fprintf(&b, ", %s", cli.Plural(a.Keys, "key"))
	}
	b.WriteString(".")
	if a.Skipped > 0 {
		fmt.Fprintf(&b, " %s had been applied before and changed nothing.", cli.Plural(a.Skipped, "record"))
	}
	b.WriteString(a.dropped())
	if a.Unheard > 0 {
		fmt.Fprintf(&b, " %s without a response, which %s predicted, not learnt from.", cli.Plural(a.Unheard, "row is", "rows are"), verb(a.Unheard))
	}
	if dead > 0 {
		fmt.Fprintf(&b, " %s (%s)", cli.Plural(dead, "record became a dead letter", "records became dead letters"), counted(a.Dead))
		if a.file != "" {
			fmt.Fprintf(&b, "; %s says why", cli.Command(a.names.Consumer)+" dead-letters list --config "+cli.Quote(a.file))
		}
		b.WriteString(".")
	}
	if a.FlaggedKeys > 0 {
		fmt.Fprintf(&b, " %s flagged: %s.", cli.Plural(a.FlaggedKeys, "key is", "keys are"), counted(a.Flagged))
	} else if a.Applied > 0 {
		b.WriteString(" No key is flagged after its last shard.")
	}
	return b.String()
}

// dropped says how many rows of applied shards were left out, and why.
func (a Account) dropped() string {
	if a.Dropped == 0 {
		return ""
	}
	return fmt.Sprintf(" %s of %s %s left out: %s.", cli.Count(a.Dropped), cli.Plural(a.Rows+a.Unheard+a.Dropped, "row"), verb(a.Dropped), app.Dropped(a.Drops))
}

func verb(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func (a Account) dead() (n int64) {
	for _, of := range a.Dead {
		n += of
	}
	return n
}

func (a Account) rate() int64 { return int64(float64(a.Rows) / max(a.Took.Seconds(), 1e-3)) }

// Err is why a run to the end failed as a whole: nothing could be applied.
func (a Account) Err() error {
	if dead := a.dead(); dead > 0 && a.Applied+a.Skipped == 0 {
		return fmt.Errorf("%w: all %d records became dead letters (%s)", cli.ErrNothingApplied, dead, counted(a.Dead))
	}
	return nil
}

// errNothingDone is why a run to the end failed that was stopped before there was a worker.
var errNothingDone = errors.New("stopped before the end: no record was read")

// verdict is why a run to the end failed, nil if it came there; ok says that there was a
// worker whose account this is, which was told.
func (a Account) verdict(ok bool) error {
	switch {
	case !ok:
		return errNothingDone
	case !a.Ended:
		return cli.ErrReported // the account says so
	}
	return a.Err()
}

// counted lists counts by name.
func counted[K cmp.Ordered](counts map[K]int64) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%v %s", k, cli.Count(counts[k])))
	}
	return strings.Join(parts, ", ")
}
