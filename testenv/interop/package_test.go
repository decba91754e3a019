//go:build unix

package interop

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/install"
	"github.com/credence-stream/credence/testenv/programs"
	"github.com/credence-stream/credence/testenv/release/wheel"
)

// pinned are versions of what the package needs and of what looks at it; pip takes
// those of them that it installs.
const pinned = `arviz==0.23.4; python_version < "3.12"
arviz==1.3.0; python_version >= "3.12"
confluent-kafka==2.16.1
ipykernel==7.4.0
matplotlib==3.11.2
mypy==2.4.1
nbclient==0.11.0
numpy==2.4.6
pandas==3.1.1
polars==2.1.0
pyarrow==26.0.1
xarray==2026.9.0
`

// packaged is a virtual environment that has the package from its wheel, what that
// asks for, what executes a notebook,
// and what checks types. All tests of a run share it.
var packaged struct {
	once  sync.Once
	dir   string
	wheel string // what it was installed from
	err   error
}

// inPackage returns a program of that environment.
func inPackage(t *testing.T, w *world, program string) string {
	t.Helper()
	packaged.once.Do(func() { packaged.dir, packaged.err = newPackage(t, w) })
	missing(t, "the Python package", packaged.err)
	return filepath.Join(packaged.dir, "bin", program)
}

func newPackage(t *testing.T, w *world) (string, error) {
	root, err := compose.Root()
	if err != nil {
		return "", err
	}
	made := wheel.Wheel{
		Root: root, Version: "v1.2.3", Target: runtime.GOOS + "/" + runtime.GOARCH,
		Program: w.program("credence"), Time: time.Now(),
	}
	file, err := made.Write(w.dir)
	if err != nil {
		return "", err
	}
	packaged.wheel = file
	constraints, dir := filepath.Join(w.dir, "constraints.txt"), filepath.Join(w.dir, "venv")
	if err := os.WriteFile(constraints, []byte(pinned), 0o600); err != nil {
		return "", err
	}
	var python3 string
	if err := installed(t.Context(), func(i *install.Installer) (err error) {
		python3, err = i.Program(t.Context(), "python3", "python3", "python3-venv")
		return err
	}); err != nil {
		return "", err
	}
	// Not under the installer's lock: the folder is this test's own, and others wait for the lock.
	for _, command := range [][]string{
		{python3, "-m", "venv", dir},
		{
			filepath.Join(dir, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
			"--only-binary", ":all:", "-c", constraints, "credence[pandas,polars,arviz] @ file://" + file, "nbclient", "ipykernel", "matplotlib", "mypy",
		},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%q: %w\n%s", command, err, programs.Last(string(out)))
		}
	}
	return dir, nil
}

// withPackage runs the script that uses the package.
func withPackage(t *testing.T, w *world, args ...string) string {
	t.Helper()
	return run(t, nil, inPackage(t, w, "python"), append([]string{filepath.Join("testdata", "package.py")}, args...)...)
}

func packageWrites(t *testing.T, w *world) {
	keys := []string{"pkg/a", "pkg/b/ü"}
	writes(t, w, "package", append(keys, "all/1", "all/2"), func(topic string) {
		withPackage(t, w, append([]string{"send", w.broker(), topic, fmt.Sprint(sentRows), fmt.Sprint(sentShards)}, keys...)...)
	})
}

func packageReads(format string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		for _, library := range []string{"pandas", "polars", "pyarrow"} {
			g := w.arrow
			if format == readJSON {
				g = w.json
			}
			same(t, parseJSON(t, withPackage(t, w, "read", w.broker(), g.output, library)), w.published)
		}
	}
}

// packageReadsDraws compares every draw of every key.
func packageReadsDraws(t *testing.T, w *world) {
	for _, s := range streams {
		key := s[1] + "1"
		names, columns := w.draws(t, key)
		of := map[string][]float64{}
		for i, name := range names {
			of[name] = columns[i]
		}
		lines := strings.Split(strings.TrimSpace(withPackage(t, w, "draws", w.broker(), w.arrow.output+".draws", key)), "\n")
		if len(lines) != len(names)-3 {
			t.Errorf("%s: %d variables, want %d", key, len(lines), len(names)-3)
		}
		for _, line := range lines {
			var pair [2]json.RawMessage
			var name string
			var values []string
			if err := json.Unmarshal([]byte(line), &pair); err != nil {
				t.Fatal(err)
			}
			if json.Unmarshal(pair[0], &name) != nil || json.Unmarshal(pair[1], &values) != nil || len(values) != len(of[name]) {
				t.Fatalf("%s: %s: %d draws, want %d", key, name, len(values), len(of[name]))
			}
			// ArviZ has them chain by chain, as the message does.
			for i, text := range values {
				if v, err := strconv.ParseFloat(text, 64); err != nil || !equal(v, of[name][i]) {
					t.Fatalf("%s: draw %d of %s is %s, want %v", key, i, name, text, of[name][i])
				}
			}
		}
	}
}

func packageAsks(t *testing.T, w *world) {
	asks(t, w, func(key string) []posterior { return parseJSON(t, withPackage(t, w, "ask", w.base, key)) })
	lines := strings.Split(strings.TrimSpace(withPackage(t, w, "asks", w.base, linearKey, goneKey)), "\n")
	if len(lines) != 4 || lines[0] != lines[1] || lines[1] != lines[2] {
		t.Fatalf("predictions differ by library:\n%s", strings.Join(lines, "\n"))
	}
	for i, want := range [][]float64{predictedMeans(t, w, linearKey, rowsOf(t, w)), predictedMeans(t, w, "dlm/1", `{"horizon": 3}`)} {
		var got []float64
		if err := json.Unmarshal([]byte(lines[2+i]), &got); err != nil || len(got) != len(want) {
			t.Fatalf("%v: %s", err, lines[2+i])
		}
		for j := range want {
			if got[j] != want[j] {
				t.Errorf("prediction %d is %v, want %v", j, got[j], want[j])
			}
		}
	}
}

// rowsOf are the rows that the script asks for: feature j of row i is (i + j) / 4.
func rowsOf(t *testing.T, w *world) string {
	t.Helper()
	var about struct {
		Inputs []struct{ Name, Role string }
	}
	decodeFrom(t, w.base+"/v1/models/"+url.PathEscape(linearKey)+"/about", "", &about)
	var rows [3]map[string]float64
	for i := range rows {
		rows[i] = map[string]float64{}
		for _, in := range about.Inputs {
			if in.Role == "feature" {
				rows[i][in.Name] = float64(i+len(rows[i])) / 4
			}
		}
	}
	text, err := json.Marshal(map[string]any{"rows": rows})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// predictedMeans asks for predictions without the package.
func predictedMeans(t *testing.T, w *world, key, body string) []float64 {
	t.Helper()
	var answer struct{ Predictions []struct{ Mean float64 } }
	decodeFrom(t, w.base+"/v1/models/"+url.PathEscape(key)+"/predict", body, &answer)
	var means []float64
	for _, p := range answer.Predictions {
		means = append(means, p.Mean)
	}
	if len(means) != 3 || math.IsNaN(means[0]) {
		t.Fatalf("predictions %v", means)
	}
	return means
}

// decodeFrom gets a URL, or posts the body to it, and decodes the JSON that comes.
func decodeFrom(t *testing.T, address, body string, into any) {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || json.Unmarshal(text, into) != nil {
		t.Fatalf("%s: %d, %v: %s", address, answer.StatusCode, err, text)
	}
}

// packageItself runs the tests that the package has of its own and checks its types.
func packageItself(t *testing.T, w *world) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	run(t, nil, inPackage(t, w, "python"), "-m", "unittest", "discover", "-s", filepath.Join(root, wheel.Package, "tests"))
	run(t, nil, inPackage(t, w, "mypy"), "--config-file", filepath.Join(root, wheel.Package, "pyproject.toml"), "--cache-dir", t.TempDir(),
		filepath.Join(root, wheel.Package, "src", "credence"))
}

// packageAlone installs the wheel in an environment of its own and runs the programs that
// it brings, with nothing else on the PATH: no Go, and no program of ours.
func packageAlone(t *testing.T, w *world) {
	inPackage(t, w, "python") // has built the wheel, or said why not
	dir := filepath.Join(t.TempDir(), "venv")
	bin := filepath.Join(dir, "bin")
	run(t, nil, inPackage(t, w, "python"), "-m", "venv", dir)
	run(t, nil, filepath.Join(bin, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--only-binary", ":all:", "-c", filepath.Join(w.dir, "constraints.txt"), packaged.wheel)
	in := func(command string) string {
		return run(t, nil, "env", "-i", "PATH="+bin, "HOME="+dir, "/bin/sh", "-c", command+" 2>&1")
	}
	if out := in("command -v go || echo none"); strings.TrimSpace(out) != "none" {
		t.Fatalf("there is a Go at %s", out)
	}
	for command, want := range map[string]string{
		"credence --version": "credence ", "consumer --version": "consumer ", "producer --version": "producer ",
		"credence replay --help": "credence replay --input", "producer replay --help": "producer replay --input", "consumer get --help": "consumer get KEY",
	} {
		if out := in(command); !strings.Contains(out, want) {
			t.Errorf("%s: %s", command, out)
		}
	}
	// Until it has said all that; with the end of the reader it ends.
	const until = ` | while IFS= read -r line; do echo "$line"; case "$line" in *" get ATL --config "*) break;; esac; done`
	if out := in("credence demo --no-browser --listen 127.0.0.1:0 2>&1" + until); !strings.Contains(out, "ATL") || !strings.Contains(out, "\n  credence get ATL --config ") {
		t.Errorf("credence demo shows no airport, or not how to get one: %.1000s", out)
	}
}

// notebookModels are those of clients/python/examples/forest.ipynb.
const notebookModels = `
  - match: "**"
    kind: linear
    columns: {response: sold, features: [price, promo]}
    publish: {draws: true}
`

// packageNotebook executes the notebook, beside a consumer, in a kernel of the
// environment with the package.
func packageNotebook(t *testing.T, w *world) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	topic := w.id + "-notebook"
	w.create(t, topic)
	g := w.group(t, "notebook", topic, "arrow", notebookModels)
	text, err := os.ReadFile(g.file)
	if err != nil {
		t.Fatal(err)
	}
	named := strings.Replace(string(text), `output: "`+g.output+`"`, `output: "`+topic+`.posteriors"`, 1)
	if err := os.WriteFile(g.file, []byte(named), 0o600); err != nil {
		t.Fatal(err)
	}
	programs.Start(t, w.program("consumer"), "run", "--config", g.file)
	const execute = "import sys, nbclient, nbformat; nbclient.NotebookClient(nbformat.read(sys.argv[1], 4), timeout=300).execute()"
	run(t, nil, "env", "CREDENCE_BROKERS="+w.broker(), "CREDENCE_TOPIC="+topic, "MPLBACKEND=agg",
		inPackage(t, w, "python"), "-c", execute, filepath.Join(root, wheel.Package, "examples", "forest.ipynb"))
}
