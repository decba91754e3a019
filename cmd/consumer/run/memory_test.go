package run

import (
	"bytes"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/config"
)

func TestMemoryLimitFollowsTheConfiguration(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	c := config.Default()
	quiet := slog.New(slog.DiscardHandler)
	const want = (1<<30 + 256<<20 + 64<<20 + 48<<20) / 20 * 23

	debug.SetMemoryLimit(math.MaxInt64)
	limitMemory(c, []string{"HOME=/", "GOMEMLIMIT=off"}, 1<<20, quiet)
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("GOMEMLIMIT was overruled by %d", got)
	}
	limitMemory(c, []string{"HOME=/"}, math.MaxInt64, quiet)
	if got := debug.SetMemoryLimit(-1); got != want {
		t.Errorf("the limit is %d, want %d", got, want)
	}
	var said bytes.Buffer
	limitMemory(c, nil, 1<<30, slog.New(slog.NewTextHandler(&said, nil)))
	if got := debug.SetMemoryLimit(-1); got != 1<<30/10*9 || !strings.Contains(said.String(), "memory.cache") {
		t.Errorf("in a container of 1 GiB the limit is %d, and the log says %q", got, said.String())
	}
	c.HTTP.Listen = ""
	if got := memoryLimit(c); got != (1<<30+256<<20+48<<20)/20*23 {
		t.Errorf("without HTTP the limit is %d", got)
	}
}

// TestGarbageIsBounded: less than Go has by itself, while a worker runs and where GOGC does not say otherwise.
func TestGarbageIsBounded(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for _, c := range []struct {
		env  []string
		want int
	}{{[]string{"HOME=/", "GOGC=100"}, 100}, {[]string{"HOME=/"}, garbagePercent}} {
		stop := boundGarbage(c.env)
		if got := debug.SetGCPercent(100); got != c.want {
			t.Errorf("with %q garbage is collected at %d %%, want %d", c.env, got, c.want)
		}
		stop()
		if got := debug.SetGCPercent(100); got != 100 {
			t.Errorf("afterwards it is collected at %d %%", got)
		}
	}
}

// TestMemoryLimitIsShared: what states take outside the heap the heap does not get, and gets
// back.
func TestMemoryLimitIsShared(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	const limit = 64 << 30
	synctest.Test(t, func(t *testing.T) {
		debug.SetMemoryLimit(limit)
		var outside atomic.Int64
		stop := shareMemory(limit, outside.Load)
		for _, c := range []struct{ outside, want int64 }{
			{0, limit}, {1 << 30, limit - 1<<30}, {16 << 30, limit - 16<<30}, {63 << 30, limit / leastShare}, {4 << 30, limit - 4<<30},
		} {
			outside.Store(c.outside)
			<-time.After(2 * shareEvery)
			synctest.Wait()
			if got := debug.SetMemoryLimit(-1); got != c.want {
				t.Errorf("with %d bytes outside the heap its limit is %d, want %d", c.outside, got, c.want)
			}
		}
		stop()
	})
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("the limit is left at %d", got)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	shareMemory(math.MaxInt64, func() int64 { return 1 << 20 })()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("where there is none the limit is %d", got)
	}
}

func TestContainerMemory(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int64
	}{
		{"memory.max", "536870912\n", 512 << 20}, {"memory.max", "max\n", math.MaxInt64}, {"memory.max", "", math.MaxInt64},
		{"memory/memory.limit_in_bytes", "536870912\n", 512 << 20}, {"other", "1", math.MaxInt64},
	} {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, c.name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, c.name), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := containerMemory(root); got != c.want {
			t.Errorf("%s of %q: %d, want %d", c.name, c.text, got, c.want)
		}
	}
}
