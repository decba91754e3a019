package probe

import (
	"runtime/debug"
	"slices"
)

// Raced reports whether this is a test with the race detector: then the
// programs have it, too, and take many times the memory.
func Raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
