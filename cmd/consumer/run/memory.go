package run

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/config"
)

// What the runtime counts beside what the configuration bounds: stacks, the
// lanes' workspaces, connections. The program's own pages, some 25 MiB, are not
// counted by the limit and come on top.
const memoryBase = 48 << 20

// limitMemory tells Go's runtime what the configuration allows, so that garbage
// is collected before the process takes twice of it. GOMEMLIMIT, which the
// runtime reads itself, wins.
func limitMemory(c *config.Config, env []string) {
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOMEMLIMIT=") }) {
		debug.SetMemoryLimit(memoryLimit(c))
	}
}

// memoryLimit leaves the collector 15 % to work in: the limit is soft, and
// a heap that is full of live bytes would only be collected again and again.
func memoryLimit(c *config.Config) int64 {
	bounded := int64(c.Memory.Cache + c.Memory.Inflight)
	if c.HTTP.Listen != "" {
		bounded += int64(c.HTTP.History)
	}
	return (bounded + memoryBase) / 20 * 23
}
