package testenv

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// both are the modules that every program links. A new one has the reasons that
// CONTRIBUTING.md asks for, and a line in docs/adr/0001-dependencies.md.
var both = []string{
	"github.com/JohnCGriffin/overflow", "github.com/andybalholm/brotli", "github.com/apache/arrow/go/v15", "github.com/apache/thrift",
	"github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/goccy/go-json", "github.com/golang/snappy", "github.com/google/flatbuffers",
	"github.com/klauspost/compress", "github.com/klauspost/cpuid/v2", "github.com/mitchellh/colorstring", "github.com/munnerz/goautoneg",
	"github.com/pierrec/lz4/v4", "github.com/prometheus/client_golang", "github.com/prometheus/client_model", "github.com/prometheus/common",
	"github.com/prometheus/procfs", "github.com/rivo/uniseg", "github.com/schollz/progressbar/v3", "github.com/segmentio/kafka-go",
	"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/xdg-go/pbkdf2", "github.com/xdg-go/scram", "github.com/xdg-go/stringprep",
	"github.com/zeebo/xxh3", "golang.org/x/exp", "golang.org/x/sync", "golang.org/x/sys", "golang.org/x/term", "golang.org/x/text",
	"golang.org/x/xerrors", "gonum.org/v1/gonum", "google.golang.org/protobuf",
}

// consuming are those that the consumer links beside them; credence is both programs.
var consuming = []string{
	"github.com/bufbuild/protocompile", "github.com/go-json-experiment/json", "github.com/redis/go-redis/v9", "github.com/twmb/avro",
	"github.com/twmb/franz-go", "github.com/twmb/franz-go/pkg/kmsg", "github.com/twmb/franz-go/pkg/sr", "go.uber.org/atomic",
	"go.yaml.in/yaml/v3", "golang.org/x/time",
}

// servers are those of internal/embedded: a broker and a store for demo, try and
// configurations that say so.
var servers = []string{"github.com/alicebob/miniredis/v2", "github.com/twmb/franz-go/pkg/kfake", "github.com/yuin/gopher-lua"}

// goList returns the lines that go list prints.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	lines := strings.Fields(string(out))
	slices.Sort(lines)
	return slices.Compact(lines)
}

// TestModulesOfPrograms fixes what each program links, so that nothing joins unseen: a
// package that one imports may import an RPC framework.
func TestModulesOfPrograms(t *testing.T) {
	consumer := slices.Concat(both, consuming, servers)
	for program, want := range map[string][]string{"credence": consumer, "consumer": consumer, "producer": both} {
		got := goList(t, "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/"+program)
		for _, m := range got {
			if !slices.Contains(want, m) {
				t.Errorf("%s links %s, which testenv/modules_test.go does not list: CONTRIBUTING.md says how one is added", program, m)
			}
		}
		for _, m := range want {
			if !slices.Contains(got, m) {
				t.Errorf("%s does not link %s any more: take it from the list", program, m)
			}
		}
		for _, p := range goList(t, "-deps", "./cmd/"+program) {
			for _, no := range []string{"google.golang.org/grpc", "google.golang.org/genproto", "/arrow/flight"} {
				if strings.Contains(p, no) {
					t.Errorf("%s links the package %s", program, p)
				}
			}
		}
	}
}

// TestEmbeddedOnlyWhereMeant shows that servers for tests are reached from two packages,
// which start them for demo, try and a configuration that says embedded.
func TestEmbeddedOnlyWhereMeant(t *testing.T) {
	const embedded = "github.com/credence-stream/credence/internal/embedded"
	for _, line := range strings.Split(strings.TrimSpace(strings.Join(importers(t), "\n")), "\n") {
		from, to, _ := strings.Cut(line, " ")
		from = strings.TrimPrefix(from, "github.com/credence-stream/credence/")
		if to == embedded && !slices.Contains([]string{"cmd/consumer/connect", "cmd/consumer/run", "testenv", "examples/gallery"}, from) {
			t.Errorf("%s imports the embedded servers", from)
		}
		for _, s := range servers {
			if strings.HasPrefix(to, s) && from != "internal/embedded" {
				t.Errorf("%s imports %s: internal/embedded alone does", from, to)
			}
		}
	}
}

// importers returns "package import" of every package.
func importers(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", "{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}\n{{end}}", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(out), "\n")
}
