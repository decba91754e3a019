// Package version says which build this is.
package version

import (
	"runtime"
	"runtime/debug"

	"github.com/credence-stream/credence/internal/arithmetic"
)

// What the linker is told where there is no repository to ask, as in the build of an
// image: -ldflags "-X github.com/credence-stream/credence/cmd/internal/version.stamped=v1.2.3".
var stamped, stampedRevision string

// Info describes the running binary.
type Info struct {
	Version  string `json:"version"`  // of the module, or "devel"
	Revision string `json:"revision"` // of the source, empty when unknown
	Modified bool   `json:"modified"` // the source was not as committed
	Go       string `json:"go"`       // the compiler's version
	Platform string `json:"platform"` // operating system and processor
	// Arithmetic is the same for builds that compute with the same bits: members of a group should have one.
	Arithmetic string `json:"arithmetic"`
}

// Get returns what the linker stored in the binary.
func Get() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	i := from(info)
	if stamped != "" {
		i.Version = stamped
	}
	if i.Revision == "" {
		i.Revision = stampedRevision
	}
	return i
}

func from(b *debug.BuildInfo) Info {
	i := Info{
		Version:  b.Main.Version,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Arithmetic: arithmetic.ID(),
	}
	if i.Version == "" || i.Version == "(devel)" {
		i.Version = "devel"
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Revision = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i
}

// String is one line for `version` and `--version`.
func (i Info) String() string {
	s := i.Version
	if i.Revision != "" {
		s += " (" + i.Revision[:min(12, len(i.Revision))]
		if i.Modified {
			s += ", modified"
		}
		s += ")"
	}
	return s + ", " + i.Go + ", " + i.Platform + ", arithmetic " + i.Arithmetic
}
