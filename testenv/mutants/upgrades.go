package main

// upgrades are faults of releases that meet each other's states, and of configurations
// that change under state.
var upgrades = []mutant{
	{"a later snapshot is damage", "pipeline/state.go",
		"err == nil || errors.Is(err, cdf.ErrLater)", "err == nil || errors.Is(err, cdf.ErrShard)", "TestLaterFormat", []string{"./cmd/consumer"}},
	{"a later state is the record's fault", "pipeline/machine_cut.go",
		"errors.Is(e.err, cdf.ErrLater)", "errors.Is(e.err, cdf.ErrShard)", "TestLaterFormat", []string{"./cmd/consumer"}},
	{"repair drops later states", "cmd/consumer/state/repair.go",
		"if err == nil || errors.Is(err, cdf.ErrLater) {\n\t\t\treturn err", "if err == nil {\n\t\t\treturn err", "TestLaterFormat", []string{"./cmd/consumer"}},
	{"a damaged version is a later release's", "cdf/snapshot.go",
		"case crc32.Checksum(body, castagnoli) !=", "case h.version <= snapshotDrops && crc32.Checksum(body, castagnoli) !=", "TestSnapshotRefusals", []string{"./cdf"}},
	{"an unknown section is damage", "pipeline/sections.go",
		"case bytes.IndexByte(sectionTags, tag) < 0:", "case bytes.Contains(nil, []byte{tag}):", "TestSectionsThatAreNone", []string{"./pipeline"}},
	{"a version without a golden file", "pipeline/envelope.go",
		"envelopeSection = 4", "envelopeSection = 5", "TestEveryVersionHasAGolden|TestEnvelopeGolden", []string{"./pipeline"}},
	{"members that are unlike not told of", "pipeline/peers.go",
		"theirs == \"\" || theirs == own ||", "theirs == \"\" || theirs != own ||", "TestMembersThatAreUnlike", machine},
	{"members that are unlike told of with every look", "pipeline/peers.go",
		"\t*told = now\n", "", "TestMembersThatAreUnlike", machine},
	{"a process that has ended is unlike", "pipeline/peers.go",
		"if !s.lives {", "if false {", "TestMembersThatAreUnlike", machine},
	{"members that left are told of as expelled", "pipeline/peers.go",
		"\t\tif !left {\n", "\t\tif true || left {\n", "TestMembersThatLeft", machine},
	{"members of another store not told of", "pipeline/peers.go",
		"p.absent[id] = was[id] + 1;", "p.absent[id] = was[id]*0 + 1;", "TestMembersOfAnotherStore", machine},
	{"a member that ended is one of another store", "pipeline/peers.go",
		"const absences = 4", "const absences = 2", "TestMembersOfAnotherStore", machine},
	{"absent while it is not known who is a member", "pipeline/peers.go",
		"err != nil || !one {", "err != nil && !one {", "TestMembersOfAnotherStore", machine},
	{"a lowered limit is taken", "pipeline/rules.go",
		"l.Rows >= old.Rows && ", "", "TestEveryKeyUnderLiveState", []string{"./cmd/consumer"}},
}
