package pipeline

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// flagTasks are n tasks of different keys with one flag each.
func flagTasks(n int) []task {
	tasks := make([]task, n)
	for i := range tasks {
		tasks[i] = task{entry: &entry{key: fmt.Sprint("k", i)}, spec: cdf.NewSpec("x", "", nil, nil), result: result{Kind: "x", Flags: []string{"odd"}}}
	}
	return tasks
}

// The lines about flags are bounded, and that there are more keys is said once.
func TestFlagLogIsBounded(t *testing.T) {
	var text bytes.Buffer
	var l flagLog
	log := slog.New(slog.NewTextHandler(&text, nil))
	for _, n := range []int{7, mostFlags, mostFlags + 5, mostFlags + 9} {
		l.report(log, Partition{"in", 3}, flagTasks(n))
	}
	if n := strings.Count(text.String(), "raises a flag"); n != mostFlags || len(l.said) != mostFlags {
		t.Errorf("%d lines and %d keys, want %d", n, len(l.said), mostFlags)
	}
	if n := strings.Count(text.String(), "further keys"); n != 1 {
		t.Errorf("that there are more is said %d times", n)
	}
}

// What was said is remembered from one assignment of a partition to the next.
func TestFlagLogOutlivesAnAssignment(t *testing.T) {
	b, a := newBoard(func(int64, int64) {}), Assignment{Partition: Partition{"in", 3}, Generation: 1}
	m := b.enter(a)
	m.flags.report(slog.New(slog.DiscardHandler), a.Partition, flagTasks(2))
	b.leave(a, m)
	for a.Generation = 2; a.Generation < 9; a.Generation += 3 { // the states in memory are let go
		m = b.enter(a)
		b.leave(a, m)
	}
	if len(m.flags.said) != 2 {
		t.Errorf("%d flags are remembered, want 2", len(m.flags.said))
	}
	if other := b.enter(Assignment{Partition: Partition{"in", 4}}); len(other.flags.said) != 0 {
		t.Error("another partition remembers them too")
	}
}

// A line says what else is known of its flag, and nothing of another.
func TestFlagLogSaysWhatIsKnown(t *testing.T) {
	known := result{Kind: "x", Together: []string{"a", "b"}, Repeats: Repeats{Shards: 3, Part: .257}, Again: .048, Curved: "c", Uneven: "d", Season: 23.96, Moved: 411, Bound: 100, AtBound: .3333}
	for flag, want := range map[string]string{
		cdf.CollinearFlag:     ` columns="a, b"`,
		cdf.RepeatedFlag:      ` found=3 part=0.26`,
		cdf.RepeatedRowsFlag:  ` part=0.05`,
		cdf.CurvedFlag:        ` curved=c`,
		cdf.MiscalibratedFlag: ` curved=c`,
		cdf.UnequalFlag:       ` column=d`,
		cdf.SeasonFlag:        ` steps=24`,
		cdf.LevelMovedFlag:    ` steps_ago=411`,
		cdf.BoundFlag:         ` bound=100 part=0.33`,
		"odd":                 ``,
	} {
		var text bytes.Buffer
		var l flagLog
		tasks := flagTasks(1)
		tasks[0].result = known
		tasks[0].result.Flags = []string{flag}
		l.report(slog.New(slog.NewTextHandler(&text, nil)), Partition{"in", 3}, tasks)
		if advice := cdf.Advise(flag); advice != "" {
			want += ` advice="` + advice + `"`
		}
		if line := strings.TrimSpace(text.String()); !strings.HasSuffix(line, " key=k0 kind=x flag="+flag+want) {
			t.Errorf("%s: %s", flag, line)
		}
	}
}
