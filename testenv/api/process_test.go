//go:build unix

package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/programs"
)

// binaries is the folder of the programs under test.
var binaries string

func TestMain(m *testing.M) { os.Exit(programs.Main(m, &binaries)) }

// produce runs the producer, which must do what it is told.
func produce(t *testing.T, args ...string) {
	t.Helper()
	if e := programs.Run(t, filepath.Join(binaries, "producer"), args...); e.Code != 0 {
		t.Fatalf("producer %s: exit %d\n%s", strings.Join(args, " "), e.Code, e.Messages)
	}
}
