package main

// ofClock are faults of how rows age with the time of records.
var ofClock = []mutant{
	{"clock: time that runs backwards", "cdf/absorb.go",
		"return tick{clock: s.clock, ignored: spec.discount", "return tick{elapsed: gap, clock: s.clock, ignored: spec.discount", "^TestClocks$", engine},
	{"clock: a late shard sets it back", "cdf/absorb.go",
		"return tick{clock: s.clock, ignored: spec.discount", "return tick{clock: now, ignored: spec.discount", "^TestClocks$", engine},
	{"clock: 56 years after a record without a time", "cdf/absorb.go",
		"case s.clock <= NoTime:", "case s.t == 0:", "^TestTimesThatSayNothing$", engine},
	{"clock: one impossible time sets it", "cdf/absorb.go",
		"if s.timeless {", "if true {", "^TestTimesThatSayNothing$", engine},
}
