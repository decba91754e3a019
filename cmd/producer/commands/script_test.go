package commands

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"producer": func() { cli.Main(New(cli.Apart(), os.Stdout, os.Stderr).Run) }})
}

// TestScripts runs the command lines in testdata/script as a shell would,
// against a broker in this process.
func TestScripts(t *testing.T) {
	brokers := startKafka(t).Brokers()[0]
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("BROKERS", brokers)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": clitest.Exits},
	})
}
