package run

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/config"
)

// What a process takes beside what the configuration bounds: code, stacks, the
// lanes' workspaces, connections.
const memoryBase = 64 << 20

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
