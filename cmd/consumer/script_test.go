package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/credence-stream/credence/cmd/internal/clitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"consumer": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("NOBODY", clitest.Nobody(t))
			e.Setenv("TAKEN", clitest.Listen(t).Addr().String())
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": clitest.Exits},
	})
}
