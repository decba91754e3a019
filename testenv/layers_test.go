//go:build unix

package testenv

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
)

const module = "github.com/credence-stream/credence/"

// layer says which packages of this module a package may import, tests aside.
type layer struct {
	path string   // below the module
	may  []string // below the module
	pure bool     // no waiting, logging, clocks, network or files
}

// aKind stands for every package of a kind of models, aBaseline for every
// package of the methods that a kind is compared with: those that their
// registries import. No kind imports another.
const (
	aKind     = "models/<kind>"
	aBaseline = "research/baselines/<kind>"
)

// layers lists every package: what is not here is refused. Dependencies point
// inward, and siblings below pipeline never import each other.
var layers = []layer{
	{path: "cdf/bound", pure: true},
	{path: "cdf/correlated", pure: true},
	{path: "cdf/reliability", pure: true, may: []string{"cdf/normal"}},
	{path: "cdf/curved", pure: true, may: []string{"cdf/vec"}},
	{path: "cdf/unequal", pure: true},
	{path: "cdf/repeated", pure: true},
	{path: "cdf/season", pure: true},
	{path: "cdf/tails", pure: true, may: []string{"cdf/normal"}},
	{path: "cdf", pure: true, may: []string{"cdf/bound", "cdf/correlated", "cdf/curved", "cdf/fault", "cdf/mcmc", "cdf/normal", "cdf/quantity", "cdf/reliability", "cdf/repeated", "cdf/season", "cdf/tails", "cdf/unequal", "cdf/vec"}},
	{path: "cdf/fault", pure: true},
	{path: "cdf/quantity", pure: true},
	{path: "cdf/formula", pure: true, may: []string{"cdf", "cdf/vec"}},
	{path: "cdf/vec", pure: true, may: []string{"cdf/isa"}},
	{path: "cdf/mcmc", pure: true, may: []string{"cdf/vec"}},
	{path: "cdf/isa", pure: true},
	{path: "cdf/normal", pure: true, may: []string{"cdf/isa"}},
	{path: "cdf/rnd", pure: true, may: []string{"cdf/isa", "cdf/normal"}},
	{path: "cdf/lin", pure: true, may: []string{"cdf/isa", "cdf/vec"}},
	{path: "cdf/cdftest", pure: true, may: []string{"cdf", "cdf/lin"}},
	{path: "models", pure: true, may: []string{"models/kind", aKind}},
	{path: aKind, pure: true, may: []string{
		"cdf", "cdf/mcmc", "cdf/reliability", "cdf/rnd", "cdf/lin", "cdf/normal", "cdf/tails", "cdf/vec", "models/kind", "models/internal/codec", "models/internal/collinear", "models/internal/describe", "models/internal/dist",
		"models/internal/exchangeable", "models/internal/predictive", "models/internal/qr", "models/internal/regression", "models/compressed/projection",
	}},
	{path: "models/kind", pure: true, may: []string{"cdf"}},
	{path: "models/internal/codec", pure: true, may: []string{"cdf", "cdf/lin"}},
	{path: "models/internal/collinear", pure: true, may: []string{"cdf/lin"}},
	{path: "models/internal/describe", pure: true, may: []string{"cdf", "cdf/mcmc", "models/internal/dist"}},
	{path: "models/internal/dist", pure: true, may: []string{"cdf", "cdf/lin", "cdf/normal", "cdf/vec"}},
	{path: "models/internal/exchangeable", pure: true, may: []string{"cdf", "cdf/lin"}},
	{path: "models/internal/predictive", pure: true, may: []string{"cdf", "cdf/lin", "cdf/normal", "models/internal/dist"}},
	{path: "models/internal/qr", pure: true, may: []string{"cdf", "cdf/lin", "cdf/vec"}},
	{path: "models/internal/regression", pure: true, may: []string{"cdf", "cdf/lin", "cdf/vec", "models/internal/describe", "models/internal/dist"}},
	{path: "models/compressed/projection", pure: true, may: []string{"cdf/lin", "cdf/rnd"}},
	{path: "models/simulate", pure: true, may: []string{"cdf"}},
	{path: "internal/accept"},
	{path: "internal/access", may: []string{"internal/sockets"}},
	{path: "internal/access/accesstest"},
	{path: "internal/arithmetic", pure: true},
	{path: "internal/isatest", may: []string{"cdf/isa", "internal/arithmetic"}},
	{path: "internal/modeltest", may: []string{"cdf", "cdf/lin", "cdf/cdftest", "internal/accept", "internal/strictyaml", "models/kind", "models/simulate"}},
	{path: "internal/strictyaml", may: []string{"models/kind"}},
	{path: "internal/jsontext", may: []string{"cdf", "cdf/quantity"}},
	{path: "internal/offheap"},
	{path: "internal/sockets"},
	{path: "internal/rscript", may: []string{"testenv/install"}},

	{path: "pipeline", may: []string{"cdf", "cdf/fault", "pipeline/alert", "pipeline/depend", "pipeline/gather", "pipeline/quota", "pipeline/shelf", "pipeline/trace"}},
	{path: "pipeline/quota"},
	{path: "pipeline/shelf", may: []string{"internal/offheap"}},
	{path: "pipeline/depend"},
	{path: "pipeline/trace"},
	{path: "pipeline/trace/otlp/otlptest", may: []string{"testenv/probe"}},
	{path: "pipeline/trace/otlp", may: []string{"pipeline/trace", "internal/access"}},
	{path: "pipeline/alert", pure: true, may: []string{"cdf/quantity"}},
	{path: "pipeline/gather", pure: true, may: []string{"cdf"}},
	{path: "pipeline/admin", may: []string{"pipeline", "pipeline/quota"}},
	{path: "pipeline/pipelinetest", may: []string{"cdf", "cdf/cdftest", "cdf/fault", "models", "pipeline", "pipeline/quota", "pipeline/storetest"}},
	{path: "pipeline/arrow", may: []string{"cdf", "cdf/fault", "pipeline", "internal/jsontext"}},
	{path: "pipeline/events", may: []string{"cdf", "pipeline", "internal/jsontext"}},
	{path: "pipeline/events/json", may: []string{"cdf", "cdf/fault", "pipeline", "pipeline/events"}},
	{path: "pipeline/events/avro", may: []string{"cdf", "cdf/fault", "pipeline", "pipeline/events"}},
	{path: "pipeline/events/protobuf", may: []string{"cdf", "cdf/fault", "pipeline", "pipeline/events"}},
	{path: "pipeline/events/registry", may: []string{"cdf", "pipeline", "pipeline/events", "pipeline/events/avro", "pipeline/events/protobuf", "internal/access"}},
	{path: "pipeline/kafka", may: []string{"pipeline", "internal/access"}},
	{path: "pipeline/redis", may: []string{"pipeline", "pipeline/quota", "internal/access"}},
	{path: "pipeline/storetest", may: []string{"pipeline", "pipeline/quota"}},
	{path: "sink", may: []string{"cdf", "pipeline", "pipeline/arrow", "pipeline/trace", "internal/jsontext"}},
	{path: "sink/live", may: []string{"cdf", "pipeline", "internal/offheap"}},
	{path: "sink/web", may: []string{"cdf", "cdf/quantity", "models/kind", "pipeline", "pipeline/depend", "pipeline/gather", "pipeline/trace", "sink", "sink/live", "sink/web/token", "internal/access", "internal/jsontext", "internal/sockets"}},
	{path: "sink/web/token", may: []string{"internal/strictyaml"}},

	{path: "cmd/internal/cli", may: []string{"cmd/internal/version"}},
	{path: "cmd/internal/clitest"},
	{path: "cmd/internal/replay", may: []string{"cdf", "pipeline", "pipeline/trace"}},
	{path: "cmd/producer/rows", may: []string{"cdf", "internal/jsontext", "cmd/internal/replay"}},
	{path: "cmd/internal/term"},
	{path: "cmd/internal/version", may: []string{"internal/arithmetic"}},
	{path: "cmd/consumer", may: []string{"models", "cmd/internal/cli", "cmd/consumer/app", "cmd/consumer/commands"}},
	{path: "cmd/consumer/commands", may: []string{
		"cmd/internal/cli", "cmd/internal/version", "cmd/consumer/app", "cmd/consumer/capacity", "cmd/consumer/check", "cmd/consumer/deadletters",
		"cmd/consumer/draft", "cmd/consumer/run", "cmd/consumer/show", "cmd/consumer/state", "cmd/consumer/try",
	}},
	{path: "cmd/consumer/config", may: []string{"cdf", "cdf/formula", "cdf/quantity", "models/kind", "pipeline/gather", "cmd/internal/cli"}},
	{path: "cmd/consumer/config/configtest", may: []string{"models", "cmd/consumer/config"}},
	{path: "cmd/consumer/connect", may: []string{
		"cdf", "pipeline", "pipeline/admin", "pipeline/arrow", "pipeline/depend", "pipeline/events", "pipeline/events/avro", "pipeline/events/json",
		"pipeline/events/protobuf", "pipeline/events/registry",
		"pipeline/kafka", "pipeline/quota", "pipeline/redis", "sink", "sink/web", "internal/access", "internal/arithmetic", "internal/embedded",
		"cmd/internal/cli", "cmd/internal/replay", "cmd/internal/term", "cmd/consumer/config",
	}},
	{path: "cmd/consumer/connect/connecttest", may: []string{"cdf", "pipeline", "cmd/consumer/config/configtest", "cmd/consumer/connect"}},
	{path: "cmd/consumer/app", may: []string{"cdf", "models/kind", "cmd/internal/cli", "cmd/internal/term", "cmd/consumer/config", "cmd/consumer/connect"}},
	{path: "cmd/consumer/capacity", may: []string{
		"cdf", "pipeline", "pipeline/arrow", "cmd/internal/cli", "cmd/internal/replay", "cmd/internal/term", "cmd/producer/rows",
		"cmd/consumer/app", "cmd/consumer/config", "cmd/consumer/connect",
	}},
	{path: "cmd/consumer/check", may: []string{
		"cdf", "pipeline", "pipeline/gather", "pipeline/kafka", "pipeline/redis", "internal/access", "cmd/internal/cli", "cmd/internal/term",
		"cmd/producer/rows", "cmd/consumer/app", "cmd/consumer/collinear", "cmd/consumer/config", "cmd/consumer/connect",
	}},
	{path: "cmd/consumer/collinear", may: []string{"cdf", "cdf/lin", "cmd/internal/cli", "cmd/internal/term"}},
	{path: "cmd/consumer/deadletters", may: []string{
		"cdf", "pipeline", "pipeline/kafka", "sink", "internal/jsontext", "cmd/internal/cli", "cmd/consumer/app", "cmd/consumer/config", "cmd/consumer/connect",
	}},
	{path: "cmd/consumer/draft", may: []string{
		"cdf", "cdf/formula", "models/kind", "cmd/internal/cli", "cmd/internal/replay", "cmd/internal/term", "cmd/producer/rows",
		"cmd/consumer/app", "cmd/consumer/collinear", "cmd/consumer/config", "cmd/consumer/connect",
	}},
	{path: "cmd/consumer/run", may: []string{
		"docs", "pipeline", "pipeline/arrow", "pipeline/depend", "pipeline/trace", "pipeline/trace/otlp", "sink", "sink/live", "sink/web", "internal/access", "internal/embedded", "internal/sockets", "internal/offheap", "cmd/internal/cli", "cmd/internal/replay", "cmd/internal/term", "cmd/internal/version",
		"cmd/consumer/app", "cmd/consumer/config", "cmd/consumer/connect", "cmd/consumer/demo", "cmd/consumer/show",
	}},
	{path: "cmd/consumer/show", may: []string{
		"cdf", "pipeline", "pipeline/admin", "pipeline/arrow", "sink", "internal/jsontext", "cmd/internal/cli", "cmd/internal/term", "cmd/consumer/app", "cmd/consumer/connect",
	}},
	{path: "cmd/consumer/state", may: []string{
		"cdf", "pipeline", "pipeline/admin", "pipeline/arrow", "pipeline/kafka", "internal/arithmetic", "internal/jsontext", "cmd/internal/cli", "cmd/internal/term",
		"cmd/consumer/app", "cmd/consumer/config", "cmd/consumer/connect",
	}},
	{path: "cmd/consumer/try", may: []string{
		"cdf", "models/kind", "pipeline", "sink/web", "cmd/internal/cli", "cmd/internal/replay", "cmd/internal/term", "cmd/producer/rows",
		"cmd/consumer/app", "cmd/consumer/config", "cmd/consumer/connect", "cmd/consumer/draft", "cmd/consumer/run",
	}},
	{path: "cmd/consumer/demo", may: []string{"cdf", "cmd/internal/replay"}},
	{path: "cmd/producer", may: []string{"cmd/internal/cli", "cmd/producer/commands"}},
	{path: "cmd/producer/commands", may: []string{
		"cdf", "models/simulate", "pipeline/arrow", "pipeline/kafka", "pipeline/trace", "pipeline/trace/otlp", "internal/access",
		"cmd/internal/version", "cmd/internal/replay", "cmd/producer/rows", "cmd/internal/term", "cmd/internal/cli",
	}},
	{path: "cmd/credence", may: []string{"models", "cmd/internal/cli", "cmd/consumer/app", "cmd/consumer/commands", "cmd/producer/commands"}},
	{path: "cmd/paper", may: []string{"cmd/internal/cli", "cmd/internal/term", "research/figure", "research/study"}},

	{path: "research/baselines", pure: true, may: []string{"models/kind", aBaseline}},
	{path: aBaseline, pure: true, may: []string{
		"cdf", "cdf/mcmc", "cdf/rnd", "cdf/lin", "cdf/normal", "models/kind", "models/compressed/projection", aKind,
		"research/baselines/internal/chain", "research/baselines/internal/law", "research/baselines/internal/method", "research/baselines/internal/state",
	}},
	{path: "research/baselines/internal/chain", pure: true, may: []string{"cdf/rnd"}},
	{path: "research/baselines/internal/law", pure: true, may: []string{"cdf", "cdf/lin", "research/baselines/internal/chain"}},
	{path: "research/baselines/internal/method", pure: true, may: []string{"models/kind"}},
	{path: "research/baselines/internal/methodtest", may: []string{"cdf", "cdf/mcmc", "cdf/cdftest", "internal/modeltest", "models/kind", "models/simulate", "research/measure"}},
	{path: "research/baselines/internal/state", pure: true, may: []string{"cdf", "cdf/lin"}},
	{path: "research/figure", may: []string{"cdf/mcmc", "research/measure", "research/study"}},
	{path: "research/measure", pure: true, may: []string{"cdf/mcmc"}},
	{path: "research/approach", may: []string{"research/study"}},
	{path: "research/regimes", may: []string{"internal/strictyaml", "cdf", "cdf/formula", "models", "models/simulate", "research/measure"}},
	{path: "research/sbc", may: []string{"internal/strictyaml", "cdf", "cdf/mcmc", "cdf/rnd", "cdf/lin", "models", "models/kind", "models/compressed/projection", "models/simulate"}},
	{path: "research/study", may: []string{"internal/strictyaml", "cdf", "models", "models/kind", "models/simulate", "research/baselines", "research/measure"}},

	{path: "docs", pure: true},
	{path: "docs/example", pure: true, may: []string{"cdf", "cdf/lin", "models/kind"}},

	{path: "examples/gallery", may: []string{"internal/embedded"}},
	{path: "examples/clients/go"},

	{path: "testenv", may: []string{"testenv/rewind", "testenv/compose", "internal/embedded", "testenv/install", "testenv/local", "testenv/probe"}},
	{path: "testenv/api"},
	{path: "testenv/bench", may: []string{"cdf", "cdf/lin", "cdf/rnd", "models", "pipeline", "pipeline/arrow", "pipeline/kafka", "testenv", "testenv/probe", "internal/rscript", "internal/strictyaml"}},
	{path: "testenv/chaos"},
	{path: "testenv/compose", may: []string{"testenv/probe"}},
	{path: "internal/embedded"},
	{path: "testenv/install"},
	{path: "testenv/integration"},
	{path: "testenv/browser"},
	{path: "testenv/manual"},
	{path: "testenv/observe"},
	{path: "testenv/programs", may: []string{"testenv", "testenv/compose", "testenv/probe"}},
	{path: "testenv/interop"},
	{path: "testenv/local", may: []string{"testenv/install", "testenv/probe"}},
	{path: "testenv/mutants", may: []string{"cdf/isa"}},
	{path: "testenv/probe"},
	{path: "testenv/images"},
	{path: "testenv/release", may: []string{"testenv/release/oci", "testenv/release/wheel"}},
	{path: "testenv/release/oci"},
	{path: "testenv/release/wheel"},
	{path: "testenv/rewind"},
	{path: "testenv/sim"},
	{path: "testenv/slow"},
	{path: "testenv/times"},
}

// homes lists where a library from outside lives and nowhere else; testenv,
// which speaks to servers without our own adapters, may use any.
var homes = map[string][]string{
	"github.com/segmentio/kafka-go":      {"pipeline/kafka"},
	"github.com/redis/go-redis":          {"pipeline/redis"},
	"github.com/apache/arrow":            {"pipeline/arrow", "cmd/producer/rows", "examples/clients/go"},
	"github.com/twmb/franz-go":           {"internal/embedded", "examples/clients/go", "pipeline/events/registry"},
	"github.com/alicebob/miniredis":      {"internal/embedded"},
	"gonum.org/v1/gonum":                 {aKind, "models/internal/dist", "models/simulate", "sink/live", aBaseline, "research/baselines/internal/law", "research/sbc"},
	"golang.org/x/sys/cpu":               {"cdf/isa"}, // which instructions there are
	"gonum.org/v1/plot":                  {"research/figure", "examples/gallery"},
	"github.com/spf13/cobra":             {"cmd/internal/cli", "cmd/internal/clitest", "cmd/consumer", "cmd/credence", "cmd/producer", "cmd/paper"},
	"github.com/spf13/pflag":             {"cmd/internal/cli", "cmd/internal/clitest", "cmd/producer"},
	"github.com/prometheus":              {"pipeline", "pipeline/depend", "pipeline/quota", "pipeline/pipelinetest", "pipeline/trace", "pipeline/trace/otlp", "sink/web", "cmd/consumer", "cmd/producer"},
	"github.com/schollz/progressbar":     {"cmd/internal/term"},
	"github.com/rivo/uniseg":             {"cmd/internal/term", "cmd/consumer/show"},
	"go.yaml.in/yaml":                    {"internal/strictyaml", "cmd/consumer/config", "cmd/consumer/draft", "sink/web"},
	"golang.org/x/term":                  {"cmd/internal/term"},
	"github.com/go-json-experiment/json": {"pipeline/events/json"},
	"github.com/klauspost/compress":      {"pipeline/kafka", "pipeline/arrow", "sink/web"},
	"github.com/pierrec/lz4":             {"pipeline/kafka", "pipeline/arrow"},
	"golang.org/x/sync":                  {"pipeline/kafka", "sink/web", "cmd/consumer", "research/study", "research/sbc", "research/regimes"},
	"golang.org/x/text":                  {"cmd/producer/rows"}, // one form of Unicode
	"golang.org/x/time":                  {"sink/web"},
	"github.com/twmb/avro":               {"pipeline/events/avro"},
	"github.com/bufbuild/protocompile":   {"pipeline/events/protobuf"},
	"google.golang.org/protobuf/":        {"pipeline/events/protobuf", "pipeline/trace/otlp", "pipeline/trace/otlp/otlptest"},
	"go.opentelemetry.io/proto":          {"pipeline/trace/otlp/otlptest"}, // tests alone
	"github.com/rogpeppe/go-internal":    {"cmd/internal/clitest"},
}

// TestLayers checks the imports of every package of the module.
func TestLayers(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64") // kernels import what others do not
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 10 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	for _, v := range append(violations(packages), idle(packages)...) {
		t.Error(v)
	}
}

// What is for research alone stands aside: no package but its command may
// build on it.
func TestResearchStandsAside(t *testing.T) {
	for _, l := range layers {
		for _, path := range l.may {
			if within(path, "research") && !within(l.path, "research") && l.path != "cmd/paper" {
				t.Errorf("%s may import %s", l.path, path)
			}
		}
	}
}

// TestLayersFindViolations plants one import of each kind.
func TestLayersFindViolations(t *testing.T) {
	for _, c := range []struct {
		path, imports string
		bad           bool
	}{
		{"cdf", "math", false},
		{"cdf", "time", true},
		{"cdf", "log/slog", true},
		{"cdf", "gonum.org/v1/gonum/mat", true},
		{"models/a", "gonum.org/v1/gonum/mat", false},
		{"models/a", "time", true},
		{"models", "net/http", true},
		{"models", module + "pipeline", true},
		{"models", "github.com/apache/arrow/go/v15/arrow", true},
		{"pipeline", "time", false},
		{"pipeline", module + "pipeline/redis", true},
		{"pipeline", "github.com/segmentio/kafka-go", true},
		{"pipeline/kafka", "github.com/segmentio/kafka-go/protocol", false},
		{"pipeline/kafka", module + "pipeline/arrow", true},
		{"pipeline/redis", module + "pipeline/kafka", true},
		{"pipeline/arrow", "github.com/redis/go-redis/v9", true},
		{"cmd/producer/rows", "github.com/apache/arrow/go/v15/arrow", false},
		{"sink", "github.com/apache/arrow/go/v15/arrow", true},
		{"cmd/consumer", module + "testenv", true},
		{"cmd/consumer", module + "research/baselines", true},
		{"cmd/consumer", "example.org/unheard/of", true},
		{"internal/embedded", "github.com/twmb/franz-go/pkg/kfake", false},
		{"examples/clients/go", "github.com/twmb/franz-go/pkg/kgo", false},
		{"examples/clients/go", module + "sink", true},
		{"cmd/paper", module + "research/study", false},
		{"cmd/consumer", module + "research/study", true},
		{"models/a", module + "research/measure", true},
		{"testenv/bench", module + "research/measure", true},
		{"pipeline/helpers", "math", true},
		{"models/a", module + "models/kind", false},
		{"models/a", module + "models/internal/dist", false},
		{"models/a", module + "models/b", true},
		{"models/a", module + "models", true},
		{"models/kind", module + "models/a", true},
		{"models/internal/dist", module + "models/a", true},
		{"models/unregistered", "math", true},
		{"research/baselines/a", module + "models/a", false},
		{"research/baselines/a", module + "research/baselines/internal/law", false},
		{"research/baselines/a", module + "research/baselines/b", true},
		{"research/baselines/a", module + "research/study", true},
		{"research/baselines/a", "time", true},
		{"models/a", module + "research/baselines/a", true},
	} {
		got := violations([]listed{
			{ImportPath: module + "models", Imports: []string{module + "models/a", module + "models/b"}},
			{ImportPath: module + "research/baselines", Imports: []string{module + "research/baselines/a", module + "research/baselines/b"}},
			{ImportPath: module + c.path, Imports: []string{c.imports}},
		})
		if (len(got) > 0) != c.bad {
			t.Errorf("%s imports %s: found %q, violation: %t", c.path, c.imports, got, c.bad)
		}
	}
}
