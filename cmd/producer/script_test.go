package main

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"producer": main})
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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": exitCode},
	})
}

// exitCode runs a command, as in `code 2 producer bogus`, and checks its exit
// code.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); !errors.As(err, &exit) || exit.ExitCode() != want {
		ts.Fatalf("%v, want exit code %d", err, want)
	}
}
