package main

// mutant is one fault: a text in a file, what stands in its place, and the
// tests that must notice.
type mutant struct {
	name     string
	file     string
	old, new string
	tests    string // for go test -run
	packages []string
}

var (
	machine = []string{"./pipeline"}
	tools   = []string{"./pipeline/admin"}
	store   = []string{"./pipeline/redis"}
	broker  = []string{"./pipeline/kafka"}
)

const scripts = "pipeline/redis/lua.go"

// guarantees are the faults that the guarantees rest on not being there.
var guarantees = []mutant{
	{"state before outputs", "pipeline/machine_cut.go",
		"\tm.publish()\n}\n\nfunc (m *machine) publish() {",
		"\tm.do(fxSave{m.epoch, m.lease, m.flight.save})\n\tm.publish()\n}\n\nfunc (m *machine) publish() {",
		"TestSimulatedTrouble", machine},
	{"group offset before state", "pipeline/machine_cut.go",
		"\tm.do(fxSave{m.epoch, m.lease, m.flight.save})",
		"\tm.do(fxCommit{offset: m.flight.to})\n\tm.do(fxSave{m.epoch, m.lease, m.flight.save})",
		"TestGroupOffset", machine},
	{"group offset as start", "pipeline/machine_claim.go",
		"\tm.known, m.committed = -1, -1\n\tif meta.Format",
		"\tif m.committed >= 0 {\n\t\tmeta.Watermark = m.committed\n\t}\n\tm.known, m.committed = -1, -1\n\tif meta.Format",
		"TestSimulatedTrouble|TestClaimDecides", machine},
	{"topic id not compared", "pipeline/identity.go",
		"state.Topic != now.Topic:", "false:", "TestClaimDecides", machine},
	{"end of the leader epoch not compared", "pipeline/identity.go",
		"now.EpochEnd <= last.Offset", "now.EpochEnd < 0", "TestClaimDecides", machine},
	{"absent record passes for the one applied", "pipeline/identity.go",
		"s.Last == nil && state.Topic == \"\"", "false && state.Topic == \"\"", "TestClaimDecides", machine},
	{"fetched by name", "pipeline/kafka/log.go",
		"if topic == (topicID{}) {", "if true {", "TestRecreatedTopicIsAnotherLog", broker},
	{"new leader believed", "pipeline/kafka/identity.go",
		"if end < at.Read {", "if false {", "TestFollowsALeader", broker},
	{"dirty cache kept across generations", "pipeline/machine_cut.go",
		"\tm.phase = phaseDone\n",
		"\tm.keep = retained{m.cache, m.lease.Token, m.acked}\n\tm.phase = phaseDone\n",
		"TestSimulatedTrouble", machine},
	{"foreign cache kept across generations", "pipeline/machine_claim.go",
		"k.token == f.meta.Owner && ", "", "TestCacheIsKept", machine},
	{"dirty entry evicted", "pipeline/cache.go",
		"e.listed || e.cut != 0 || e.pending > 0", "e.listed || e.pending > 0", "TestSimulatedTrouble|TestCache", machine},
	{"busy entry evicted", "pipeline/cache.go",
		"e.listed || e.cut != 0 || e.pending > 0", "e.listed || e.cut != 0", "TestSimulatedTrouble|TestCache", machine},
	{"repeat table ignored", "pipeline/lane.go",
		"numbered && s.filter != nil && s.env.repeated(id, n)", "false", "TestRepeats", machine},
	{"repeat table not stored", "pipeline/envelope.go",
		"\tfor _, r := range e.runs {\n\t\tdst =", "\tfor _, r := range e.runs[:0] {\n\t\tdst =", "TestEnvelope", machine},
	{"summary of a model that draws not stored", "pipeline/state.go",
		"snapshot, s.filter.AppendSummary(nil)", "snapshot, nil", "TestStoredState|TestSimulatedTrouble", machine},
	{"summary of a model that draws not read", "pipeline/state.go",
		"if len(s.env.Summary) > 0 {", "if false {", "TestSimulatedTrouble", machine},
	{"configuration that may be lost taken for stored", "pipeline/machine_cut.go",
		"\tcase e.meta.Owner == m.lease.Token && watermark(e.meta) == m.acked:\n", "\tcase c.to > m.acked && e.meta.Owner == m.lease.Token && watermark(e.meta) == m.acked:\n",
		"TestLostConfiguration", machine},
	{"timers of an old claim believed", "pipeline/machine.go",
		"\tif e, ok := ev.(late); ok && e.of()", "\t_, timer := ev.(evTimer)\n\tif e, ok := ev.(late); !timer && ok && e.of()",
		"TestTimersOfAnOldEpoch", machine},
	{"unknown outcome taken for failure", "pipeline/machine_cut.go",
		"\t\tm.retry(waitSave, \"redis\", err)\n\t}\n}\n\nfunc (m *machine) onMeta",
		"\t\tm.save()\n\t}\n}\n\nfunc (m *machine) onMeta",
		"TestOutcomeUnknown", machine},
	{"failed arithmetic applied again", "pipeline/machine_cut.go",
		"\tm.poison[e.offset] = true\n", "", "TestLostState", machine},
	{"acknowledged outputs sent again", "pipeline/machine_cut.go",
		"\tc.outputs = slices.Concat(e.rest, c.outputs[c.sent:])", "\tif e.err == nil {\n\t\tc.outputs = slices.Concat(c.outputs[c.sent:])\n\t}", "TestRefusedOutput", machine},
	{"all sent with what was refused", "pipeline/machine_cut.go",
		"\t\tm.flight.sent = 1 ", "\t\t_ = 1 ", "TestRefusedOutput", machine},
	{"shard without a summary kept", "pipeline/lane.go",
		"if lost := filter.Revert(); lost != nil {", "if lost := error(nil); lost != nil {", "TestFailingRecords", machine},
	{"failed arithmetic drops the partition", "pipeline/lane.go",
		"case errors.Is(err, cdf.ErrNumeric):", "case false:", "TestFailingRecords", machine},
	{"late events of an old claim believed", "pipeline/machine.go",
		"\tif e, ok := ev.(late); ok && e.of() != m.epoch {",
		"\t_, saved := ev.(evSaved)\n\tif e, ok := ev.(late); ok && e.of() != m.epoch && !(saved && m.flight != nil) {",
		"TestSimulatedTrouble", machine},
	{"records applied before a gap is stored", "pipeline/machine.go",
		"\tif !m.opening {", "\tif true {", "TestNothingIsApplied", machine},
	{"tombstone keeps the envelope", "pipeline/lane.go",
		"\t\ts.filter, s.env = nil, Envelope{}\n", "\t\ts.filter = nil\n", "TestSimulatedTrouble", machine},
	{"deletion not stored", "pipeline/lane.go",
		"\t\tl.touch(t.entry)\n\t\tl.outs = append(l.outs, l.outputs.Tombstone(l.part, r))",
		"\t\tl.outs = append(l.outs, l.outputs.Tombstone(l.part, r))", "TestSimulatedTrouble", machine},
	{"late results fill the next cut", "pipeline/machine.go",
		"own := t.cut == m.open.seq", "own := true", "TestLateResults", machine},
	{"observer told before the save", "pipeline/machine_cut.go",
		"\tm.do(fxSave{m.epoch, m.lease, m.flight.save})",
		"\tm.do(fxTell{m.flight.points})\n\tm.flight.points = nil\n\tm.do(fxSave{m.epoch, m.lease, m.flight.save})",
		"TestObserverIsToldOfWhatIsSaved", machine},
	{"verifier compares no snapshots", "pipeline/admin/verify.go", "\th.Write(e.Snapshot)\n", "", "TestVerifierComparesSnapshots", tools},
	{"import takes what a worker has claimed", "pipeline/admin/import.go",
		"\tim := &Import{store: s, lease: pipeline.NewLease(p), e: e, at: -1}\n",
		"\tim := &Import{store: s, lease: pipeline.NewLease(p), e: e, at: -1}\n\tif now, err := s.Meta(ctx, p); err == nil {\n\t\tseen = now\n\t}\n",
		"TestImportIsFenced", tools},
	{"dead letters replayed without a number", "sink/deadletter.go",
		"\theaders = append(headers, pipeline.Header{Key: pipeline.ShardHeader, Value: []byte(id)})\n", "\t_ = id\n",
		"TestReplayAppliesOnce", []string{"./cmd/consumer"}},
	{"no owner check", scripts,
		"if owner ~= ARGV[1] then return {'FENCED', 'another worker owns the partition'} end\n", "",
		"TestContractMiniredis", store},
	{"no watermark check", scripts,
		"if at ~= ARGV[2] then return {'FENCED', 'the stored watermark is ' .. at .. ', not ' .. ARGV[2]} end\n", "",
		"TestContractMiniredis", store},
	{"unfenced load", scripts, "\t\t\townerFence + knownFence +\n", "", "TestContractMiniredis", store},
	{"blob deleted outside the fence", scripts,
		"\t\t\tfindReplaced +\n", "\t\t\tfindReplaced + dropReplaced +\n",
		"TestContractMiniredis|TestFencedSave|TestZombie", store},
	{"damage not counted", scripts,
		"if held ~= tonumber(counted) or held ~= listed then", "if false then", "TestContractMiniredis", store},
}
