package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/credence-stream/credence/cmd/internal/clitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"credence": main, "consumer": main, "producer": main})
}

// TestScripts runs the program under each of its names, as a shell would.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": clitest.Exits},
	})
}
