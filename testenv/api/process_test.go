//go:build unix

package api

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// consumer and producer are the programs under test, built once before any
// test runs.
var consumer, producer string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "credence-api-*")
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		consumer, producer = filepath.Join(dir, "consumer"), filepath.Join(dir, "producer")
		err = programs.Build(context.Background(), dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return testenv.Main(m)
}

// produce runs the producer, which must do what it is told.
func produce(t *testing.T, args ...string) {
	t.Helper()
	if e := programs.Run(t, producer, args...); e.Code != 0 {
		t.Fatalf("producer %s: exit %d\n%s", strings.Join(args, " "), e.Code, e.Messages)
	}
}
