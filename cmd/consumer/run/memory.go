package run

import (
	"context"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/config"
)

// What the runtime counts beside what the configuration bounds: stacks, the
// lanes' workspaces, connections. The program's own pages, some 25 MiB, are not
// counted by the limit and come on top.
const memoryBase = 48 << 20

// limitMemory tells Go's runtime what the configuration allows, so that garbage
// is collected before the process takes twice of it, and never more than nine tenths of
// what a container may have: it would be killed before the runtime hears of it.
// GOMEMLIMIT, which the runtime reads itself, wins. It returns the limit.
func limitMemory(c *config.Config, env []string, container int64, log *slog.Logger) int64 {
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOMEMLIMIT=") }) {
		return debug.SetMemoryLimit(-1)
	}
	limit := memoryLimit(c)
	if most := container / 10 * 9; most < limit {
		log.Warn("container too small", "advice", "raise its memory limit, or lower memory.cache and memory.inflight",
			"container_bytes", container, "configuration_bytes", limit)
		limit = most
	}
	debug.SetMemoryLimit(limit)
	return limit
}

// garbagePercent is what garbage may take of what is live before it is collected. Go's own, 100, lets a process of many keys
// have a fifth more memory, for some hundredths less processor time.
const garbagePercent = 50

// boundGarbage has garbage collected at garbagePercent until the function that it returns is called. GOGC, which the runtime
// reads itself, wins.
func boundGarbage(env []string) (stop func()) {
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOGC=") }) {
		return func() {}
	}
	before := debug.SetGCPercent(garbagePercent)
	return func() { debug.SetGCPercent(before) }
}

// shareMemory keeps the limit for the heap and what is outside of it together, which the
// runtime does not count, until the function that it returns is called.
func shareMemory(limit int64, outside func() int64) (stop func()) {
	if limit == math.MaxInt64 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(shareEvery)
		defer tick.Stop()
		for last := int64(0); ; {
			if now := outside(); now != last {
				debug.SetMemoryLimit(max(limit-now, limit/leastShare))
				last = now
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		ended.Wait()
		debug.SetMemoryLimit(limit)
	}
}

const (
	// shareEvery is a time in which states grow by less than the room that a limit leaves.
	shareEvery = time.Second
	// leastShare is the part of the limit that the heap has in any case: with less it would be
	// collected all the time.
	leastShare = 8
)

// memoryLimit leaves the collector 15 % to work in: the limit is soft, and
// a heap that is full of live bytes would only be collected again and again.
func memoryLimit(c *config.Config) int64 {
	bounded := int64(c.Memory.Cache + c.Memory.Inflight)
	if c.HTTP.Listen != "" {
		bounded += int64(c.HTTP.History)
	}
	return (bounded + memoryBase) / 20 * 23
}

// containerMemory returns the bytes that the process's control group may have, by either
// version of control groups below root, /sys/fs/cgroup; MaxInt64 without a limit.
func containerMemory(root string) int64 {
	for _, name := range []string{"memory.max", "memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return math.MaxInt64
}
