//go:build unix

package programs

import (
	"context"
	"fmt"
	"os"

	"github.com/credence-stream/credence/testenv"
)

// Main is testenv.Main for a test binary that runs the programs: it builds
// them into a folder, whose path it writes to dir, and removes it at the end.
//
//	func TestMain(m *testing.M) { os.Exit(programs.Main(m, &binaries)) }
func Main(m testenv.Runner, dir *string) int {
	folder, err := os.MkdirTemp("", "credence-programs-*")
	if err == nil {
		defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
		*dir, err = folder, Build(context.Background(), folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return testenv.Main(m)
}
