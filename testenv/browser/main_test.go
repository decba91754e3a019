//go:build unix

package browser

import (
	"os"
	"testing"

	"github.com/credence-stream/credence/testenv/programs"
)

// scratch is a folder of this binary's, with both programs.
var scratch string

func TestMain(m *testing.M) { os.Exit(programs.Main(m, &scratch)) }
