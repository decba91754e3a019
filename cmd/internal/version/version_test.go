package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

// What the linker was told counts, for images are built without a repository.
func TestStamped(t *testing.T) {
	stamped, stampedRevision = "v1.2.3-4-gabcdef", "0123456789abcdef"
	defer func() { stamped, stampedRevision = "", "" }()
	if got := Get(); got.Version != stamped || got.Revision == "" {
		t.Errorf("%+v", got)
	}
}

func TestString(t *testing.T) {
	tests := []struct {
		name  string
		build debug.BuildInfo
		want  string
	}{
		{"nothing known", debug.BuildInfo{}, "devel, go"},
		{"release", debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3, go"},
		{"work tree", debug.BuildInfo{
			Main: debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: "0123456789abcdef0123"},
				{Key: "vcs.modified", Value: "true"},
			},
		}, "devel (0123456789ab, modified), go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := from(&tt.build).String(); !strings.HasPrefix(got, tt.want) {
				t.Errorf("version is %q, want it to start with %q", got, tt.want)
			}
		})
	}
}
