package main

var encoder = []string{"./pipeline/arrow"}

// ofArrow are faults of how shards and posteriors are read and written.
var ofArrow = []mutant{
	{"decoder: nulls taken for numbers", "pipeline/arrow/column.go",
		" || le.Uint64(n[8:]) != 0 || ", " || ", "^TestRandomStreams", encoder},
	{"decoder: numbers beyond a buffer", "pipeline/arrow/column.go",
		"size < 8*uint64(r.rows)", "size < uint64(r.rows)", "^TestColumnsThatAreTooShort", encoder},
	{"decoder: labels of the record before", "pipeline/arrow/decoder.go",
		"d.stamps += uint64(len(p.fields))", "d.stamps++", "^TestLabelsAfterALargeRecord$", encoder},
	{"encoder: zeros of another posterior", "pipeline/arrow/sheet.go",
		"\t\tif some == 0 {", "\t\tif false && some == 0 {", "^TestSheets$", encoder},
	{"encoder: a sheet that is written on", "pipeline/arrow/sheet.go",
		"s := &sheet{*k, bytes.Clone(batch)", "_ = bytes.Clone(batch)\n\ts := &sheet{*k, batch", "^TestSheets$", encoder},
	{"one form of table for all", "pipeline/arrow/builder.go",
		"if bytes.HasPrefix(w.b[pos:], v) {", "if bytes.HasPrefix(w.b[pos:], v[:2]) {", "TestShardsReadBack", encoder},
	{"numbers in the place of zeros", "pipeline/arrow/rows.go",
		"\t\tcase f.some[c] != 0:\n", "\t\tcase f.some[c] != 0 && c != 1:\n", "TestPosteriorIsWhat", encoder},
	{"what columns share takes no room", "pipeline/arrow/rows.go",
		"return n + undefined + zero", "return n + undefined + 0*zero", "TestRowsThatFit", encoder},
	{"posterior of zeros held to its bytes", "pipeline/arrow/published.go",
		"size := 4 * max(", "size := max(", "TestColumnsWithoutNumbers", encoder},
}
