package cli

import "testing"

func TestQuote(t *testing.T) {
	for word, want := range map[string][2]string{
		"a.csv":            {"a.csv", "a.csv"},
		"":                 {"''", `""`},
		"my file":          {"'my file'", `"my file"`},
		"it's":             {`'it'\''s'`, `"it's"`},
		`C:\data\a.csv`:    {`'C:\data\a.csv'`, `C:\data\a.csv`},
		`C:\my data\a.csv`: {`'C:\my data\a.csv'`, `"C:\my data\a.csv"`},
		`say "x"`:          {`'say "x"'`, `"say \"x\""`},
		"a,b":              {"a,b", `"a,b"`}, // of which PowerShell makes a list
		"é":                {"'é'", `"é"`},
	} {
		if posix, windows := quotePOSIX(word), quoteWindows(word); posix != want[0] || windows != want[1] {
			t.Errorf("%q: %s and %s, want %s", word, posix, windows, want)
		}
	}
}
