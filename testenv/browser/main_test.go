//go:build unix

package browser

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// scratch is a folder of this binary's, with both programs.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "credence-browser-*")
		if err == nil {
			defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
			scratch, err = dir, programs.Build(context.Background(), dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return testenv.Main(m)
	}())
}
