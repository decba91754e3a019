package baselines

import (
	"os"
	"testing"

	"github.com/credence-stream/credence/internal/accept"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }
