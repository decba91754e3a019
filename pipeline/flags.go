package pipeline

import (
	"log/slog"
	"math"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// Adviser is settings (cdf.Spec.Settings) that know what to do about a flag
// that their model raises, or what else than all kinds to do about one of the engine's.
type Adviser interface {
	// Advise returns a sentence without a full stop, empty where nothing is
	// to be said.
	Advise(flag string) string
	// Flags lists those that the model may raise beside the engine's.
	Flags() []string
}

// Repeats are shards that came before: how many were found, and what part of a state's rows they
// and those that they stand for are.
type Repeats struct {
	Shards int64
	Part   float64
}

// Advise says what to do about a flag of a model with such settings, empty where nobody knows.
func Advise(flag string, settings any) string {
	if a, ok := settings.(Adviser); ok {
		if advice := a.Advise(flag); advice != "" {
			return advice
		}
	}
	return cdf.Advise(flag)
}

// flagged takes the flags of a summary, which are its filter's, and what that knows of them.
func (r *result) flagged(flags []string, filter *cdf.Filter) {
	r.Flags = append(r.Flags, flags...)
	for _, flag := range flags {
		switch flag {
		case cdf.CollinearFlag:
			r.Together = filter.Collinear()
		case cdf.RepeatedFlag:
			r.Repeats.Shards, r.Repeats.Part = filter.Repeated()
		case cdf.RepeatedRowsFlag:
			r.Again = filter.RepeatedRows()
		case cdf.MiscalibratedFlag, cdf.CurvedFlag:
			r.Curved = filter.Curved()
		case cdf.UnequalFlag:
			r.Uneven = filter.Uneven()
		case cdf.SeasonFlag:
			r.Season = filter.Season()
		case cdf.LevelMovedFlag:
			r.Moved = filter.LevelMoved()
		case cdf.BoundFlag:
			r.Bound, r.AtBound = filter.Bound()
		}
	}
}

// mostFlags bounds what a partition remembers of flags, and so the lines that
// it logs about them.
const mostFlags = 1000

// flagLog logs each flag of each key once in the life of the process, however
// many shards raise it.
type flagLog struct {
	said map[keyFlag]struct{}
	full bool // there were too many, and that is said
}

type keyFlag struct{ key, flag string }

// report logs the flags that the shards of the tasks raised.
func (l *flagLog) report(log *slog.Logger, p Partition, tasks []task) {
	for i := range tasks {
		t := &tasks[i]
		for _, flag := range t.result.Flags {
			at := keyFlag{t.entry.key, flag}
			if _, ok := l.said[at]; ok || l.full {
				continue
			}
			to := log.With("topic", p.Topic, "partition", p.ID)
			if l.full = len(l.said) == mostFlags; l.full {
				to.Warn("further keys raise flags", "keys", mostFlags, "advice", "see the flags of their posteriors")
				continue
			}
			if l.said == nil {
				l.said = map[keyFlag]struct{}{}
			}
			l.said[at] = struct{}{}
			args := []any{"key", at.key, "kind", t.result.Kind, "flag", flag}
			switch {
			case flag == cdf.CollinearFlag:
				args = append(args, "columns", strings.Join(t.result.Together, ", "))
			case flag == cdf.RepeatedFlag:
				args = append(args, "found", t.result.Repeats.Shards, "part", math.Round(100*t.result.Repeats.Part)/100)
			case flag == cdf.RepeatedRowsFlag:
				args = append(args, "part", math.Round(100*t.result.Again)/100)
			case (flag == cdf.MiscalibratedFlag || flag == cdf.CurvedFlag) && t.result.Curved != "":
				args = append(args, "curved", t.result.Curved)
			case flag == cdf.UnequalFlag && t.result.Uneven != "":
				args = append(args, "column", t.result.Uneven)
			case flag == cdf.SeasonFlag:
				args = append(args, "steps", math.Round(10*t.result.Season)/10)
			case flag == cdf.LevelMovedFlag:
				args = append(args, "steps_ago", t.result.Moved)
			case flag == cdf.BoundFlag:
				args = append(args, "bound", t.result.Bound, "part", math.Round(100*t.result.AtBound)/100)
			}
			if advice := Advise(flag, t.spec.Settings); advice != "" {
				args = append(args, "advice", advice)
			}
			to.Warn("model raises a flag", args...)
		}
	}
}

// mostRaised bounds the keys whose flags a tally knows.
const mostRaised = 100_000

// raised is the flags that the newest shards of keys raised.
type raised map[string][]string

// note takes an applied record into account. Keys without flags cost nothing while none
// has any.
func (r *raised) note(t *task) {
	if t.entry == nil || len(*r) == 0 && len(t.result.Flags) == 0 {
		return
	}
	if len(t.result.Flags) == 0 {
		delete(*r, t.entry.key)
		return
	}
	if *r == nil {
		*r = raised{}
	}
	if _, there := (*r)[t.entry.key]; there || len(*r) < mostRaised {
		(*r)[t.entry.key] = t.result.Flags
	}
}

// count returns how many keys have each flag, and how many have any.
func (r raised) count() (flags map[string]int64, keys int64) {
	flags = map[string]int64{}
	for _, of := range r {
		for _, flag := range of {
			flags[flag]++
		}
	}
	return flags, int64(len(r))
}
