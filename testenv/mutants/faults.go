package main

// faulty are faults of what is done about the faults of others.
var faulty = []mutant{
	{"value that is gone taken for none", scripts,
		"if n == 0 and listed(key) then", "if false then", "TestContractMiniredis", store},
	{"list of keys that lost some believed", scripts,
		"if count ~= tonumber(counted) then", "if false then", "TestLostKeysAreNotNew", store},
	{"damage taken for an outage", "pipeline/machine_cut.go",
		"\tcase errors.Is(err, ErrDamaged):\n\t\tm.halt(\"damaged\", err.Error())\n\tdefault:\n\t\treturn false", "\tdefault:\n\t\treturn false", "TestDamageHalts", machine},
	{"a forgotten note not written again by a claim", "pipeline/machine_claim.go",
		"\t\tm.do(fxNote{at})\n", "", "TestAClaimNotes", machine},
	{"a rescaling noted by the command alone", "pipeline/kafka/notes.go",
		"cmp.Or(at.Rescaled, noted(at.Origin))", "noted(at.Origin)", "TestCommitsKeepNotes", broker},
	{"a lost partition of a rescaled topic rebuilt for want of a note", "pipeline/machine_claim.go",
		"cmp.Or(f.past.Rescaled, f.rescaled)", "f.past.Rescaled", "TestRescaledIsKnown", machine},
	{"layout not asked for by a claim", "pipeline/shell_io.go",
		"\tf.rescaled = layout.Rescaled()\n", "\t_ = layout\n", "TestForgottenNoteIsWrittenAgain", tools},
	{"partition begun that the broker does not know yet", "pipeline/shell_io.go",
		"if int(p.ID) >= f.partitions {", "if false {", "TestNewPartitionIsNotBegun", machine},
	{"permissions looked at one by one", scripts,
		"if redis.acl_check_cmd then", "if false then", "TestRefusedMidway", store},
	{"what was announced read after the writes", scripts,
		"\t\t\tdropReplaced +\n\t\t\twriteChanges +\n\t\t\tsweep +", "\t\t\tdropReplaced +\n\t\t\twriteChanges +\n\t\t\treadPending + sweep +", "TestAnotherType", store},
	{"key of another type taken for an outage", "pipeline/redis/run.go",
		"return nil, damage(err)", "return nil, err", "TestAnotherType", store},
}
