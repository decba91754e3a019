package pipeline

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var testLimits = Limits{Record: 1 << 20, Rows: 100, Columns: 10, Groups: 10, Summary: 1 << 20}

// claimed returns a machine that has just been told these facts, and what it
// asked for.
func claimed(t *testing.T, committed, known int64, skip bool, f facts) (*machine, []effect) {
	t.Helper()
	m := newTestMachine(t, known, skip)
	if fx := m.step(evStart{committed: committed, cache: 1 << 20}); len(fx) != 1 || fx[0] != (fxClaim{}) {
		t.Fatalf("the first thing is a claim, got %+v", fx)
	}
	return m, append([]effect(nil), m.step(evClaimed{facts: f})...)
}

func newTestMachine(t *testing.T, known int64, skip bool) *machine {
	cfg := machineConfig{lanes: 2, records: 10, bytes: 1 << 20, backlog: func() int64 { return 1 << 20 }, probe: 1, onGapSkip: skip,
		rules: testRules(t, testLimits, "**")}
	return newMachine(cfg, Partition{"in", 3}, retained{}, known)
}

// stored is a healthy partition at watermark 50 of a log of 10 to 80.
func stored(t *testing.T) facts {
	configured := testRules(t, testLimits, "**").Recorded(10)
	last := &Record{Offset: 49, Epoch: 3, Time: 7, Key: []byte("k"), Value: []byte("v")}
	return facts{
		lease: Lease{Partition: Partition{"in", 3}, Token: "token"}, partitions: 4, layout: Layout{Partitions: 4},
		log:  LogState{Start: 10, End: 80, Identity: Identity{Topic: "id", EpochEnd: 60}, Last: last},
		meta: Meta{Exists: true, Owner: "before", Watermark: 50, Origin: 10, Format: StateFormat, Configured: configured, Topic: "id", Last: LastOf(last)},
	}
}

func find[T effect](fx []effect) (T, bool) {
	for _, e := range fx {
		if e, ok := e.(T); ok {
			return e, true
		}
	}
	var none T
	return none, false
}

func TestClaimDecides(t *testing.T) {
	for _, c := range []struct {
		name      string
		committed int64
		known     int64
		skip      bool
		change    func(*facts)
		halted    string // reason; "": runs
		says      string // part of the message
		from      int64  // of the first fetch
		saves     bool   // something is to be stored before records are applied
		rollback  bool
		looks     int // before it is believed
	}{
		{name: "healthy", committed: 50, known: -1, from: 50},
		{name: "healthy, had before", committed: 50, known: 50, from: 50},
		{name: "healthy, commit not yet done", committed: 40, known: -1, from: 50},
		{name: "new group on a trimmed log", committed: -1, known: -1, change: func(f *facts) { f.meta, f.log.Last = Meta{}, nil }, from: 10, saves: true},
		{name: "store lost, log whole", committed: 50, known: -1, change: func(f *facts) { f.meta, f.log.Last, f.log.Start = Meta{}, nil, 0 }, from: 0, saves: true, rollback: true},
		{name: "store lost, log trimmed", committed: 50, known: -1, change: func(f *facts) { f.meta, f.log.Last = Meta{}, nil }, halted: "store_lost", says: "offset 50", rollback: true},
		{name: "store lost, log trimmed by one record", committed: 50, known: -1, change: func(f *facts) { f.meta, f.log.Last, f.log.Start = Meta{}, nil, 1 }, halted: "store_lost", says: "offset 1", rollback: true},
		{name: "store lost under a live worker", committed: -1, known: 50, change: func(f *facts) { f.meta, f.log.Last = Meta{}, nil }, halted: "store_lost", rollback: true},
		{name: "told where to begin", committed: 30, known: -1, change: func(f *facts) { f.meta, f.log.Last, f.past = Meta{}, nil, Note{Told: true, Origin: 30} }, from: 30, saves: true},
		{name: "told to begin at the end", committed: 80, known: -1, change: func(f *facts) { f.meta, f.log.Last, f.past = Meta{}, nil, Note{Told: true, Origin: 80} }, from: 80, saves: true},
		{name: "told to begin where the log is gone", committed: 5, known: -1, change: func(f *facts) { f.meta, f.log.Last, f.past = Meta{}, nil, Note{Told: true, Origin: 5} }, halted: "gap", says: " 5 records"},
		{name: "told to begin where the log is gone, and gaps are skipped", committed: 5, known: -1, skip: true, change: func(f *facts) { f.meta, f.log.Last, f.past = Meta{}, nil, Note{Told: true, Origin: 5} }, halted: "gap", says: "run --from"},
		{name: "told to begin above the end", committed: 90, known: -1, looks: confirmations, change: func(f *facts) { f.meta, f.log.Last, f.past = Meta{}, nil, Note{Told: true, Origin: 90} }, halted: "truncated", says: "ends at offset 80"},
		{name: "store lost of a group that was told, log whole from there on", committed: 50, known: -1, change: func(f *facts) { f.meta, f.log.Last, f.past = Meta{}, nil, Note{Told: true, Origin: 30} }, from: 30, saves: true, rollback: true},
		{name: "store lost of a group that was told, log trimmed", committed: 50, known: -1, change: func(f *facts) { f.meta, f.log.Last, f.past = Meta{}, nil, Note{Told: true, Origin: 5} }, halted: "store_lost", says: "offset 50", rollback: true},
		{name: "store lost of a group that was told, log trimmed by one record", committed: 50, known: -1, change: func(f *facts) { f.meta, f.log.Last, f.past = Meta{}, nil, Note{Told: true, Origin: 9} }, halted: "store_lost", rollback: true},
		{name: "store behind the group offset", committed: 60, known: -1, from: 50, rollback: true},
		{name: "store behind what this process saved", committed: -1, known: 60, from: 50, rollback: true},
		{name: "gap", committed: 50, known: -1, change: func(f *facts) { f.log.Start, f.log.Last = 55, nil }, halted: "gap", says: " 5 records"},
		{name: "gap to be skipped", committed: 50, known: -1, skip: true, change: func(f *facts) { f.log.Start, f.log.Last = 55, nil }, from: 55, saves: true},
		{name: "gap of one record", committed: 50, known: -1, change: func(f *facts) { f.log.Start, f.log.Last = 51, nil }, halted: "gap", says: " 1 records"},
		{name: "log begins where the state ends", committed: 50, known: -1, change: func(f *facts) { f.log.Start, f.log.Last = 50, nil }, from: 50},
		{name: "log ends where the state ends", committed: 50, known: -1, change: func(f *facts) { f.log.End = 50 }, from: 50},
		{name: "ends one record below the watermark", committed: 50, known: -1, looks: confirmations, change: func(f *facts) { f.log.End, f.log.Last = 49, nil }, halted: "truncated"},
		{name: "ends below the watermark", committed: 50, known: -1, looks: confirmations, change: func(f *facts) { f.log.End, f.log.Last = 40, nil }, halted: "truncated", says: "ends at offset 40"},
		{name: "recreated", committed: 50, known: -1, change: func(f *facts) { f.log.Last = &Record{Offset: 49, Time: 7, Key: []byte("k"), Value: []byte("other")} }, halted: "recreated"},
		{name: "recreated, although gaps are skipped", committed: 50, known: -1, skip: true, change: func(f *facts) { f.log.Last = &Record{Offset: 49, Time: 8, Key: []byte("k"), Value: []byte("v")} }, halted: "recreated"},
		{name: "last record compacted away", committed: 50, known: -1, change: func(f *facts) { f.log.Last = nil }, from: 50},
		{name: "last record gone, and no identity is known", committed: 50, known: -1, looks: confirmations, change: func(f *facts) {
			f.log.Last, f.meta.Topic, f.meta.Last.Epoch = nil, "", 0
		}, halted: "recreated", says: "no record at offset 49"},
		{name: "of a program that kept no identity", committed: 50, known: -1, change: func(f *facts) { f.meta.Topic, f.meta.Last.Epoch = "", 0 }, from: 50, saves: true},
		{name: "brokers that give no identity", committed: 50, known: -1, change: func(f *facts) {
			f.meta.Topic, f.meta.Last.Epoch, f.log.Identity = "", 0, Identity{}
		}, from: 50},
		{name: "recreated with the same record", committed: 50, known: -1, looks: confirmations, change: func(f *facts) { f.log.Identity.Topic = "other" }, halted: "recreated", says: "has the id other"},
		{name: "truncated below, and written on", committed: 50, known: -1, looks: confirmations, change: func(f *facts) {
			f.log.Identity.EpochEnd, f.log.Last = 49, nil
		}, halted: "truncated", says: "epoch 2"},
		{name: "the epoch is unknown to the log", committed: 50, known: -1, looks: confirmations, change: func(f *facts) { f.log.Identity.EpochEnd = -1 }, halted: "truncated"},
		{name: "the epoch ends with the last record", committed: 50, known: -1, change: func(f *facts) { f.log.Identity.EpochEnd = 50 }, from: 50},
		{name: "a refused record can be read now", committed: 50, known: -1, change: func(f *facts) {
			f.meta.Last = LastOf(&Record{Offset: 49, Epoch: 3, Time: 9, Refused: errors.New("too large")})
		}, from: 50},
		{name: "another configuration", committed: 50, known: -1, change: func(f *facts) { f.meta.Configured = []Configured{{Fingerprint: strings.Repeat("0", 64)}} }, halted: "configuration", says: "0000000000000000"},
		{name: "another format", committed: 50, known: -1, change: func(f *facts) { f.meta.Format = StateFormat + 1 }, halted: "format"},
		{name: "partitions added", committed: 50, known: -1, change: func(f *facts) { f.partitions = 5 }, halted: "partitions", says: "rescale"},
		{name: "recreated with more partitions", committed: 50, known: -1, looks: confirmations, change: func(f *facts) {
			f.partitions, f.another, f.why = 5, "recreated", "it has another id"
		}, halted: "recreated", says: "it has another id. Use a new consumer group"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := stored(t)
			if c.change != nil {
				c.change(&f)
			}
			m, fx := claimed(t, c.committed, c.known, c.skip, f)
			for range c.looks - 1 {
				if w, ok := find[fxWait](fx); m.halted != "" || !ok || w.wait != waitClaim {
					t.Fatalf("halted %q, effects %+v: a broker may not know the log yet", m.halted, fx)
				}
				m.step(evTimer{m.epoch, waitClaim})
				fx = append([]effect(nil), m.step(evClaimed{facts: f})...)
			}
			if m.halted != c.halted || !strings.Contains(m.why, c.says) {
				t.Fatalf("halted %q (%s), want %q saying %q", m.halted, m.why, c.halted, c.says)
			}
			if _, counted := findCount(fx, countRollback); counted != c.rollback {
				t.Errorf("rollback counted: %v, want %v", counted, c.rollback)
			}
			if c.halted != "" {
				if w, ok := find[fxWait](fx); !ok || w.wait != waitHalt {
					t.Errorf("a halted partition is looked at again; effects %+v", fx)
				}
				return
			}
			fetch, ok := find[fxFetch](fx)
			if !ok || fetch.from.Offset != c.from {
				t.Errorf("fetch %+v, want from %d", fetch, c.from)
			}
			if save, ok := find[fxSave](fx); ok != c.saves || ok && save.c.To != c.from {
				t.Errorf("saved before records are applied: %v %+v, want %v", ok, save.c, c.saves)
			}
		})
	}
}

func findCount(fx []effect, c counter) (int64, bool) {
	for _, e := range fx {
		if e, ok := e.(fxCount); ok && e.metric == c {
			return e.n, true
		}
	}
	return 0, false
}

// A cut was in flight when its claim was given up, and somebody has saved a part of it: the
// observer is told of that alone, and of the rest when it was applied anew.
func TestSavedByOthersIsToldOf(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	m.flight = &cut{to: 53, points: []*Point{{Offset: 50}, {Offset: 51}, {Offset: 52}}}
	m.step(evSaved{m.epoch, ErrFenced})
	m.step(evTimer{m.epoch, waitFence})
	f := stored(t)
	f.meta.Watermark = 51
	fx := m.step(evClaimed{facts: f})
	if told, ok := find[fxTell](fx); !ok || len(told.points) != 1 || told.points[0].Offset != 50 {
		t.Errorf("told of %+v", told.points)
	}
}

// A record that failed may have failed for rows of records that are given up since.
func TestWhatFailedIsTriedAgainAfterAGap(t *testing.T) {
	m, _ := claimed(t, 50, -1, true, stored(t))
	m.step(evFailed{epoch: m.epoch, offset: 56, key: "k", err: errors.New("lost")})
	if len(m.poison) != 1 {
		t.Fatal("nothing failed")
	}
	f := stored(t)
	f.log.Start, f.log.Last = 55, nil
	m.step(evTimer{m.epoch, waitClaim})
	m.step(evClaimed{facts: f})
	if len(m.poison) != 0 || len(m.gaps) != 1 {
		t.Errorf("%v is not tried again after the gap %v", m.poison, m.gaps)
	}
}

func TestNothingIsAppliedBeforeAGapIsStored(t *testing.T) {
	f := stored(t)
	f.log.Start, f.log.Last = 55, nil
	m, _ := claimed(t, 50, -1, true, f)
	fx := m.step(evFetched{epoch: m.epoch, got: Fetched{Records: []Record{{Offset: 55, Key: []byte("k"), Value: []byte("v")}}, Next: 56, End: 56}})
	if _, ok := find[fxLoad](fx); ok {
		t.Fatal("a state is loaded before the gap is acknowledged")
	}
	fx = m.step(evSaved{epoch: m.epoch})
	if _, ok := find[fxLoad](fx); !ok {
		t.Errorf("after the gap is stored the record's state is loaded; effects %+v", fx)
	}
}

func TestOutcomeUnknownIsLookedUpBeforeTryingAgain(t *testing.T) {
	f := stored(t)
	f.log.Start, f.log.Last = 55, nil // so that there is something to save
	for _, c := range []struct {
		name    string
		owner   string
		at      int64
		again   bool
		applied bool
	}{
		{"applied, reply lost", "token", 55, false, true},
		{"not applied", "token", 50, true, false},
		{"another owner", "other", 50, false, false},
		{"another owner after it was applied", "other", 55, false, false},
		{"store went back", "token", 30, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := claimed(t, 50, -1, true, f)
			epoch := m.epoch
			fx := m.step(evSaved{epoch: epoch, err: errors.New("time-out")})
			if _, ok := find[fxSave](fx); ok {
				t.Fatal("saved again without looking")
			}
			fx = m.step(evTimer{epoch, waitSave})
			if _, ok := find[fxResolve](fx); !ok {
				t.Fatalf("effects %+v, want a look at the meta", fx)
			}
			fx = m.step(evMeta{epoch: epoch, meta: Meta{Exists: true, Owner: c.owner, Watermark: c.at}})
			if _, again := find[fxSave](fx); again != c.again {
				t.Errorf("saved again: %v, want %v", again, c.again)
			}
			if applied := m.acked == 55 && m.epoch == epoch; applied != c.applied {
				t.Errorf("taken as applied: %v, want %v", applied, c.applied)
			}
		})
	}
}

// A checkpoint of the configuration alone leaves the watermark where it was, so
// that the watermark cannot tell whether it was stored.
func TestLostConfigurationIsSavedAgain(t *testing.T) {
	f := stored(t)
	f.meta.Topic = "" // so that there is something to save, from 50 to 50
	m, fx := claimed(t, 50, -1, false, f)
	if save, ok := find[fxSave](fx); !ok || save.c.From != 50 || save.c.To != 50 {
		t.Fatalf("effects %+v", fx)
	}
	m.step(evSaved{epoch: m.epoch, err: errors.New("time-out")})
	m.step(evTimer{m.epoch, waitSave})
	fx = m.step(evMeta{epoch: m.epoch, meta: Meta{Exists: true, Owner: "token", Watermark: 50}})
	if save, ok := find[fxSave](fx); !ok || save.c.Topic != "id" || !m.opening {
		t.Errorf("effects %+v: what may be lost is saved again", fx)
	}
}

// A timer that ran off while its claim was given up is on its way when the next
// claim has work of the same kind under way.
func TestTimersOfAnOldEpochAreIgnored(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	old := m.epoch
	m.step(evFetched{epoch: old, err: ErrOutOfRange})
	m.step(evTimer{m.epoch, waitClaim})
	f := stored(t)
	f.meta.Topic = ""
	m.step(evClaimed{facts: f}) // saves
	if fx := m.step(evTimer{old, waitSave}); len(fx) > 0 {
		t.Fatalf("effects %+v of a timer of the claim before", fx)
	}
	m.step(evSaved{epoch: m.epoch})
	m.step(evFetched{epoch: m.epoch, got: Fetched{Records: []Record{{Offset: 50, Key: []byte("k"), Value: []byte("v")}}, Next: 51, End: 52}}) // loads
	if fx := m.step(evTimer{old, waitLoad}); len(fx) > 0 {
		t.Errorf("effects %+v of a timer of the claim before", fx)
	}
}

// An idle look that failed stands in the way of readiness until the store
// answers, which a checkpoint shows as well: a partition that always has
// something to write does not look again.
func TestCheckpointEndsWhatALookFound(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	if _, ok := find[fxProbe](m.step(evTick{})); !ok {
		t.Fatal("an idle claim does not look at the store")
	}
	m.step(evProbed{epoch: m.epoch, err: errors.New("refused")})
	if m.waitsFor() == "" {
		t.Fatal("nothing says that the store is away")
	}
	m.flight = &cut{to: 50, save: Checkpoint{From: 50, To: 50}}
	m.step(evSaved{epoch: m.epoch})
	if why := m.waitsFor(); why != "" {
		t.Errorf("after a checkpoint was saved the partition waits for %q", why)
	}
}

// An output that is refused when the partition is to be given up is not waited for: it is
// tried again by who gets the partition.
func TestRefusedAtTheEndIsNotWaitedFor(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	outputs := []Output{{Topic: "out", Offset: 50}}
	m.flight = &cut{to: 51, outputs: outputs, sent: 1, save: Checkpoint{From: 50, To: 51}}
	m.step(evRevoked{})
	fx := m.step(evPublished{m.epoch, outputs, &RefusedError{Topic: "out", Err: errors.New("too large")}})
	if _, ok := find[fxDone](fx); !ok {
		t.Errorf("effects %+v", fx)
	}
}

func TestLateEventsOfAnOldEpochAreIgnored(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	old := m.epoch
	m.step(evFetched{epoch: old, err: ErrOutOfRange})
	if m.epoch == old {
		t.Fatal("an offset out of range starts a new claim")
	}
	late := []event{
		evFetched{epoch: old, got: Fetched{Records: []Record{{Offset: 50}}, Next: 51}},
		evPublished{epoch: old}, evSaved{epoch: old}, evMeta{epoch: old},
		evFailed{epoch: old, offset: 50, err: errors.New("panic")},
	}
	check := func(when string) {
		t.Helper()
		flight, acked := m.flight, m.acked
		for _, ev := range late {
			if fx := m.step(ev); len(fx) > 0 {
				t.Errorf("%s: effects %+v of %T of the claim before", when, fx, ev)
			}
		}
		if m.queue.n != 0 || m.acked != acked || len(m.poison) != 0 || m.flight != flight {
			t.Errorf("%s: an event of an epoch that was given up changed the machine", when)
		}
	}
	check("no claim")
	m.step(evTimer{m.epoch, waitClaim})
	f := stored(t)
	f.meta.Topic = "" // so that the claim has something to save
	m.step(evClaimed{facts: f})
	if m.flight == nil {
		t.Fatal("the new claim saves nothing")
	}
	check("a checkpoint under way")
}

// A record cost its key's state, and its log is then truncated: what has its
// offset now is another record.
func TestWhatFailedInATruncatedLogIsForgotten(t *testing.T) {
	for _, c := range []struct {
		epoch  LeaderEpoch
		poison bool
	}{{3, true}, {4, false}} {
		m, _ := claimed(t, 50, -1, false, stored(t))
		fetched := func(epoch LeaderEpoch) []effect {
			m.step(evFetched{epoch: m.epoch, got: Fetched{Records: []Record{{Offset: 50, Epoch: epoch, Key: []byte("k"), Value: []byte("v")}}, Next: 51, End: 51, Epoch: epoch, Read: 51}})
			return m.step(evLoaded{epoch: m.epoch, values: []Stored{nil}})
		}
		fetched(3)
		m.step(evFailed{epoch: m.epoch, offset: 50, key: "k", err: errors.New("the state is lost")})
		m.step(evTimer{m.epoch, waitClaim})
		m.step(evClaimed{facts: stored(t)})
		work, ok := find[fxApply](fetched(c.epoch))
		if !ok || work.tasks[0].poison != c.poison {
			t.Errorf("epoch %d: given to a lane %v, as one that failed %v, want %v", c.epoch, ok, work.tasks[0].poison, c.poison)
		}
	}
}

// The share of the cache falls while nothing is written.
func TestIdleCacheFollowsItsLimit(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	e := &entry{key: "k", state: &keyState{stored: make(Stored, 1000)}}
	m.cache.add(e)
	m.cache.rest(e)
	size := m.cache.size()
	if m.step(evTick{cache: size}); m.cache.size() != size || size == 0 {
		t.Fatalf("%d bytes are left of %d", m.cache.size(), size)
	}
	if m.step(evTick{cache: size - 1}); m.cache.size() != 0 {
		t.Errorf("%d bytes are left, the limit is %d", m.cache.size(), size-1)
	}
}

func TestGroupOffsetFollowsTheCheckpoint(t *testing.T) {
	f := stored(t)
	f.log.Start, f.log.Last = 55, nil // so that there is something to save
	m, fx := claimed(t, 50, -1, true, f)
	if _, ok := find[fxCommit](fx); ok {
		t.Fatal("the group offset moves before the store has the watermark: a crash now would look like a lost store")
	}
	if c, ok := find[fxCommit](m.step(evSaved{epoch: m.epoch})); !ok || c.at.Offset != 55 {
		t.Errorf("commit %+v, want 55 once the checkpoint is acknowledged", c)
	}
}

func TestCacheIsKeptOnlyWhereNobodyWroteInBetween(t *testing.T) {
	for _, c := range []struct {
		name  string
		owner string
		at    int64
		kept  bool
	}{
		{"ours", "mine", 50, true},
		{"somebody claimed in between", "other", 50, false},
		{"the store went back", "mine", 40, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTestMachine(t, -1, false)
			m.keep = retained{cache: newCache(), token: "mine", watermark: 50}
			m.keep.cache.add(&entry{key: "k", state: &keyState{}})
			m.step(evStart{committed: -1, cache: 1 << 20})
			f := stored(t)
			f.meta.Owner, f.meta.Watermark, f.log.Last = c.owner, c.at, nil
			m.step(evClaimed{facts: f})
			if kept := m.cache.get("k") != nil; kept != c.kept {
				t.Errorf("cache kept: %v, want %v", kept, c.kept)
			}
		})
	}
}

// A barrier does not wait for the lanes. What they had been given before it
// and report after it is large, and no part of what comes next.
func TestLateResultsDoNotFillTheNextCut(t *testing.T) {
	f := stored(t)
	m, _ := claimed(t, 50, -1, false, f)
	epoch := m.epoch
	fetched := func(offset int64) []effect {
		return m.step(evFetched{epoch: epoch, got: Fetched{Records: []Record{{Offset: offset, Key: []byte("k"), Value: []byte("v")}}, Next: offset + 1, End: 52}})
	}
	fetched(50)
	work, ok := find[fxApply](m.step(evLoaded{epoch: epoch, values: []Stored{nil}}))
	if !ok {
		t.Fatal("the record was not given to a lane")
	}
	if _, ok := find[fxBarrier](m.step(evTick{cache: 1 << 22})); !ok {
		t.Fatal("no checkpoint begins at the tick")
	}
	work.tasks[0].outBytes, work.tasks[0].size = 1<<21, 1<<21 // more than a cut may hold
	m.step(evApplied{epoch, work.tasks})
	for range 2 {
		m.step(evCut{epoch, cutPart{}})
	}
	m.step(evSaved{epoch: epoch})
	if m.acked != 51 {
		t.Fatalf("the checkpoint ends at %d, want 51", m.acked)
	}
	if _, ok := find[fxApply](fetched(51)); !ok {
		t.Error("the next record is not given to a lane")
	}
}

// TestGroupOffsetIsOfTheCheckpoint: what was begun since is not saved.
func TestGroupOffsetIsOfTheCheckpoint(t *testing.T) {
	f := stored(t)
	f.log.Start, f.log.Last = 55, nil
	m, _ := claimed(t, 50, -1, true, f)
	m.step(evSaved{epoch: m.epoch})
	record := func(offset int64) Fetched {
		return Fetched{Records: []Record{{Offset: offset, Value: []byte("v")}}, Next: offset + 1, End: 60}
	}
	given, ok := find[fxApply](m.step(evFetched{epoch: m.epoch, got: record(55)}))
	if !ok {
		t.Fatal("the record goes to no lane")
	}
	m.step(evApplied{m.epoch, given.tasks})
	m.step(evTick{})
	for range m.cfg.lanes {
		m.step(evCut{epoch: m.epoch})
	}
	m.step(evFetched{epoch: m.epoch, got: record(56)})
	if m.dispatched != 57 {
		t.Fatalf("dispatched to %d while a checkpoint is saved, want 57", m.dispatched)
	}
	if c, ok := find[fxCommit](m.step(evSaved{epoch: m.epoch})); !ok || c.at.Offset != 56 {
		t.Errorf("commit %+v, want 56", c)
	}
}

// Two thousand large states that no cut can hold together are loaded as cuts
// have room for them: what is in memory and not saved is bounded by bytes.
func TestLoadedStatesFillACut(t *testing.T) {
	const size, records = 200 << 10, 2000
	m, _ := claimed(t, 50, -1, false, stored(t))
	m.cfg.records, m.cfg.bytes, m.limit = records, 4<<20, 1
	value, got := make(Stored, size), Fetched{Next: 50 + records, End: 50 + records}
	for i := range int64(records) {
		got.Records = append(got.Records, Record{Offset: 50 + i, Key: []byte(strconv.FormatInt(i, 10)), Value: []byte("v")})
	}
	most, saves := 0, 0
	todo := append([]effect(nil), m.step(evFetched{epoch: m.epoch, got: got})...)
	for ; len(todo) > 0; todo = todo[1:] {
		var events []event
		switch fx := todo[0].(type) {
		case fxLoad:
			if fx.bytes > m.cfg.bytes {
				t.Fatalf("a load asks for %d bytes, a cut has room for %d", fx.bytes, m.cfg.bytes)
			}
			n := min(len(fx.keys), max(1, int(fx.bytes/size)))
			events = append(events, evLoaded{epoch: fx.epoch, values: slices.Repeat([]Stored{value}, n)})
		case fxApply:
			for i := range fx.tasks {
				fx.tasks[i].size = fx.tasks[i].entry.size
			}
			events = append(events, evApplied{fx.epoch, fx.tasks})
		case fxBarrier:
			events = append(events, evCut{epoch: fx.epoch}, evCut{epoch: fx.epoch})
		case fxSave:
			saves++
			events = append(events, evSaved{epoch: fx.epoch})
		}
		for _, ev := range events {
			todo = append(todo, m.step(ev)...)
			held := 0
			for _, e := range m.cache.entries {
				held += len(e.state.stored)
			}
			most = max(most, held)
		}
	}
	if m.step(evTick{cache: 1}); m.dispatched != 50+records || m.running != 0 {
		t.Fatalf("the lanes got records up to %d, want %d", m.dispatched, 50+records)
	}
	t.Logf("%d KiB at most in %d checkpoints", most>>10, saves)
	if bound := 2 * (4<<20 + size); most > bound {
		t.Errorf("%d KiB loaded and not saved, want %d KiB at most", most>>10, bound>>10)
	}
}

// Cuts of small states have as many as a store takes at once, from the second that
// was begun after the first was encoded; those of large ones are not made smaller.
func TestSmallStatesAreSavedTogether(t *testing.T) {
	const records = 20_000
	for size, want := range map[int]int{1200: savedBytes / 1200, 600: savedBytes / 600, 100: 2000, savedBytes: fewStates} {
		m, _ := claimed(t, 50, -1, false, stored(t))
		m.cfg.records, m.cfg.bytes, m.limit = 2000, 1<<40, 1<<40
		got := Fetched{Next: 50 + records, End: 50 + records}
		for i := range int64(records) {
			got.Records = append(got.Records, Record{Offset: 50 + i, Key: []byte(strconv.FormatInt(i, 10)), Value: []byte("v")})
		}
		value, cuts := make(Stored, size-5), []int(nil)
		todo := append([]effect(nil), m.step(evFetched{epoch: m.epoch, got: got})...)
		for ; len(todo) > 0; todo = todo[1:] {
			var events []event
			switch fx := todo[0].(type) {
			case fxLoad:
				events = append(events, evLoaded{epoch: fx.epoch, values: make([]Stored, len(fx.keys))})
			case fxApply:
				events = append(events, evApplied{fx.epoch, fx.tasks})
			case fxBarrier:
				part := cutPart{}
				for _, e := range m.flight.touched {
					part.changes = append(part.changes, Change{e.key, value})
				}
				cuts = append(cuts, len(part.changes))
				events = append(events, evCut{epoch: fx.epoch, part: part}, evCut{epoch: fx.epoch})
			case fxSave:
				events = append(events, evSaved{epoch: fx.epoch})
			}
			for _, ev := range events {
				todo = append(todo, m.step(ev)...)
			}
		}
		if m.step(evTick{cache: 1}); m.dispatched != 50+records {
			t.Fatalf("states of %d bytes: the lanes got records up to %d, want %d", size, m.dispatched, 50+records)
		}
		for i, n := range cuts[2 : len(cuts)-1] {
			if n < want-2 || n > want+5 { // the mean is a whole number
				t.Errorf("cut %d has %d states of %d bytes, want %d", i+2, n, size, want)
			}
		}
	}
}

// Outputs count in a cut before they are made, once it is known how large they are: lanes that are slow do
// not get more records of a cut than it has room for.
func TestOutputsToComeFillACut(t *testing.T) {
	const size, records = 10_000, 5000
	m, _ := claimed(t, 50, -1, false, stored(t))
	m.pace.interval = 1 // lanes may have a thousand records
	m.cfg.records, m.cfg.bytes, m.limit = 2000, 1<<20, 1<<40
	got := Fetched{Next: 50 + records, End: 50 + records}
	for i := range int64(records) {
		got.Records = append(got.Records, Record{Offset: 50 + i, Key: []byte(strconv.FormatInt(i%7, 10)), Value: []byte("v")})
	}
	var cuts []int
	var lanes []fxApply // not yet answered
	todo := append([]effect(nil), m.step(evFetched{epoch: m.epoch, got: got})...)
	for len(todo)+len(lanes) > 0 {
		var events []event
		if len(todo) == 0 {
			events, lanes = append(events, evApplied{lanes[0].epoch, lanes[0].tasks}), lanes[1:]
		} else {
			switch fx := todo[0].(type) {
			case fxLoad:
				events = append(events, evLoaded{epoch: fx.epoch, values: make([]Stored, len(fx.keys))})
			case fxApply:
				for i := range fx.tasks {
					fx.tasks[i].outBytes, fx.tasks[i].seconds = size, 1e-3
				}
				lanes = append(lanes, fx)
			case fxBarrier:
				cuts = append(cuts, m.flight.records)
				events = append(events, evCut{epoch: fx.epoch}, evCut{epoch: fx.epoch})
			case fxSave:
				events = append(events, evSaved{epoch: fx.epoch})
			}
			todo = todo[1:]
		}
		for _, ev := range events {
			todo = append(todo, m.step(ev)...)
		}
	}
	if m.dispatched != 50+records || len(cuts) < records/(2*(1<<20)/size) {
		t.Fatalf("the lanes got records up to %d in %d cuts, want %d", m.dispatched, len(cuts), 50+records)
	}
	for i, n := range cuts[2:] {
		if n > 1<<20/size+1 {
			t.Errorf("cut %d has %d records with outputs of %d bytes, of 1 MiB", i+2, n, size)
		}
	}
}

// A state that a cut has already is no reason to end it, however many of its
// records come; another one is.
func TestRecordsOfALargeStateShareACut(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	m.pace.cost, m.limit = 0, 1<<30
	got := Fetched{Next: 53, End: 53}
	for i, key := range []string{"k", "k", "l"} {
		got.Records = append(got.Records, Record{Offset: 50 + int64(i), Key: []byte(key), Value: []byte("v")})
	}
	m.step(evFetched{epoch: m.epoch, got: got})
	large := make(Stored, m.cfg.bytes)
	var did []string
	for _, fx := range m.step(evLoaded{epoch: m.epoch, values: []Stored{large, large}}) {
		switch fx := fx.(type) {
		case fxApply:
			for _, t := range fx.tasks {
				did = append(did, t.entry.key)
			}
		case fxBarrier:
			did = append(did, "barrier")
		}
	}
	if want := []string{"k", "k", "barrier", "l"}; !slices.Equal(did, want) {
		t.Errorf("%q, want %q", did, want)
	}
	if n := m.pace.records[0] + m.pace.records[1]; n != 3 || m.cache.get("k").pending != 2 || m.cache.get("l").pending != 1 {
		t.Errorf("%d records counted at the lanes: what waited was counted twice", n)
	}
}

// What a fetch brings that was under way when its partition gave its queue back
// is let go of.
func TestUnwantedRecordsAreLetGo(t *testing.T) {
	m, _ := claimed(t, 50, -1, false, stored(t))
	fetched := func(from int64, size int64) []effect {
		records := []Record{{Offset: from, Key: []byte("k")}, {Offset: from + 1, Key: []byte("k")}}
		return m.step(evFetched{epoch: m.epoch, got: Fetched{Records: records, Next: from + 2, End: 80}, size: size})
	}
	fetched(50, 3)
	for range stuckAfter {
		m.step(evLoaded{epoch: m.epoch, err: errors.New("away")})
		m.step(evTimer{m.epoch, waitLoad})
	}
	if !m.fetching {
		t.Fatal("no fetch is under way")
	}
	fx := fetched(52, 7)
	if shed, ok := find[fxShed](fx); !ok || shed.bytes != 7 {
		t.Errorf("effects %+v, want 7 bytes let go of", fx)
	}
	if m.fetchFrom.Offset != 51 {
		t.Errorf("the next fetch is from %d, want 51", m.fetchFrom.Offset)
	}
}
