package run

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config"
)

func TestMemoryLimitFollowsTheConfiguration(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	c := config.Default()
	const want = (1<<30 + 256<<20 + 64<<20 + 48<<20) / 20 * 23

	debug.SetMemoryLimit(math.MaxInt64)
	limitMemory(c, []string{"HOME=/", "GOMEMLIMIT=off"})
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("GOMEMLIMIT was overruled by %d", got)
	}
	limitMemory(c, []string{"HOME=/"})
	if got := debug.SetMemoryLimit(-1); got != want {
		t.Errorf("the limit is %d, want %d", got, want)
	}
	c.HTTP.Listen = ""
	if got := memoryLimit(c); got != (1<<30+256<<20+48<<20)/20*23 {
		t.Errorf("without HTTP the limit is %d", got)
	}
}
