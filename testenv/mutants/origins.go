package main

// origins are faults of where groups begin, and of what was before.
var origins = []mutant{
	{"a lost store is rebuilt from the log's start", "pipeline/machine_claim.go",
		"\t\tm.origin = origin\n", "\t\tif !lost {\n\t\t\tm.origin = origin\n\t\t}\n", "TestSimulatedOrigins|TestClaimDecides", machine},
	{"a place to begin counts as a lost store", "pipeline/machine_claim.go",
		"m.committed > f.past.Begin()", "m.committed >= 0", "TestClaimDecides", machine},
	{"an offset that was set stays", "pipeline/machine_claim.go",
		" || at.Offset != m.heard) {", ") {", "TestAClaimCorrectsTheGroupsOffset", machine},
	{"where a group began is lost with its first commit", "pipeline/kafka/notes.go",
		"any = any || note.Note != \"\"", "any = false", "TestOrigins", broker},
	{"gaps of the past are applied", "pipeline/admin/past.go",
		"case within(meta.Gaps, record.Offset):", "case false:", "TestPastKnowsGaps", tools},
	{"a rescaled topic's past is of one partition", "pipeline/admin/past.go",
		"len(layout.Past) > 0 || layout.Moving != nil", "layout.Moving != nil", "TestPastOfARescaledTopic", tools},
	{"where a group began taken for a rescaling", "cmd/consumer/connect/rescaled.go",
		"text := m.Past().Rescaled;", "text := m.Note;", "TestRunFrom", []string{"./cmd/consumer"}},
	{"tombstones behind an open transaction are called applied", "cmd/consumer/state/delete.go",
		"if until[p], err = s.Log.Written(ctx, p);", "if _, until[p], err = s.Log.Bounds(ctx, p);", "TestStateDeleteBehindATransaction", []string{"./cmd/consumer"}},
	{"the past is one record short", "pipeline/admin/past.go",
		"through: below, configured", "through: below - 1, configured", "TestPastIsWhatWasStored", tools},
}
