package main

// faulty are faults of what is done about the faults of others.
var faulty = []mutant{
	{"value that is gone taken for none", scripts,
		"if n == 0 and listed(key) then", "if false then", "TestContractMiniredis", store},
	{"list of keys that lost some believed", scripts,
		"if count ~= tonumber(counted) then", "if false then", "TestLostKeysAreNotNew", store},
	{"damage taken for an outage", "pipeline/machine_cut.go",
		"\tcase errors.Is(err, ErrDamaged):\n\t\tm.halt(\"damaged\", err.Error())\n\tdefault:\n\t\treturn false", "\tdefault:\n\t\treturn false", "TestDamageHalts", machine},
}
