//go:build unix

package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/install"
	"github.com/credence-stream/credence/testenv/programs"
)

// flightsModel is for the rows of python/send_shards.py.
const flightsModel = `
  - match: "**"
    kind: linear
    columns:
      response: delay
      features: [distance, hour, weekend, {name: carrier, levels: [AA, DL, WN], baseline: AA}]`

// script runs one of the examples.
func script(t *testing.T, python, name string, args ...string) string {
	t.Helper()
	got := programs.Run(t, python, append([]string{filepath.Join("python", name)}, args...)...)
	if got.Code != 0 {
		t.Fatalf("%s: exit %d\n%s", name, got.Code, programs.Last(got.Messages))
	}
	return got.Data
}

// TestPythonReads reads the output topic with librdkafka, and its messages
// with pyarrow, pandas and polars.
func TestPythonReads(t *testing.T) {
	python := testenv.Python(t)
	if python == "" {
		return // said so, loudly
	}
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{})
		w.feeder(t, 6).send(t, 60)
		w.settle(t)
		want := map[string]posterior{}
		for _, p := range w.tail(t) {
			want[fmt.Sprint(p.Key, p.T)] = p
		}
		if len(want) != 60 {
			t.Fatalf("%d posteriors, want 60", len(want))
		}
		for _, library := range []string{"pyarrow", "pandas", "polars"} {
			n := 0
			for line := range strings.Lines(script(t, python, "read_posteriors.py", "--brokers", env.Brokers()[0], "--topic", w.output, "--with", library)) {
				n++
				got := parse(t, line)
				p := want[fmt.Sprint(got.Key, got.T)]
				if got.N != p.N || len(got.Posterior) != len(p.Posterior) || !reflect.DeepEqual(got.Posterior, p.Posterior) {
					t.Fatalf("%s reads other figures:\n%s%s", library, line, p.text)
				}
			}
			if n != 60 {
				t.Errorf("%s: %d posteriors, want 60", library, n)
			}
		}
	})
}

// TestPythonWrites has pyarrow and librdkafka make shards, and compares what
// they lead to with the same rows from here.
func TestPythonWrites(t *testing.T) {
	python := testenv.Python(t)
	if python == "" {
		return // said so, loudly
	}
	each(t, func(t *testing.T, env *testenv.Env) {
		const shards, rows = 5, 20
		w := newWorld(t, env, setup{models: flightsModel})
		kinds := map[string][]string{"none": nil, "lz4": {"--compression", "lz4"}, "zstd": {"--compression", "zstd"}}
		for kind, args := range kinds {
			for _, key := range []string{"a", "b", "c"} {
				args = append(args, "--key", "py/"+kind+"/"+key)
			}
			args = append(args, "--brokers", env.Brokers()[0], "--topic", w.input)
			script(t, python, "send_shards.py", args...)
			if kind == "lz4" {
				script(t, python, "send_shards.py", args...) // the same run again
			}
		}
		for shard := range shards {
			send(t, w.kafka, &kgo.Record{Topic: w.input, Key: []byte("go"), Value: flights(t, shard*rows, rows)})
		}
		w.settle(t)
		want := w.get(t, "go")
		if want.T != shards || want.N != 84 {
			t.Fatalf("t %d, n %d; want 5, 84", want.T, want.N)
		}
		for kind := range kinds {
			for _, key := range []string{"a", "b", "c"} {
				got := w.get(t, "py/"+kind+"/"+key)
				if got.T != want.T || got.N != want.N || !reflect.DeepEqual(got.Posterior, want.Posterior) || !reflect.DeepEqual(got.Score, want.Score) {
					t.Errorf("pyarrow's shards lead elsewhere:\n%s%s", got.text, want.text)
				}
			}
		}
		if got := w.consumer(t, "check"); got.Code != 0 || strings.Contains(got.Data, "its shards may be spread over two models") {
			t.Errorf("check: exit %d\n%s", got.Code, got.Data)
		}
		if dead := read(t, env, w.dead); len(dead) != 0 {
			t.Errorf("%d dead letters", len(dead))
		}
	})
}

// flights are the rows of python/send_shards.py.
func flights(t *testing.T, start, count int) []byte {
	distance, hour, weekend := make([]float64, count), make([]*int64, count), make([]bool, count)
	carrier, delay := make([]string, count), make([]*float64, count)
	for row := range count {
		i := start + row
		h := int64(i % 24)
		distance[row] = float64(100 + 37*i%900)
		weekend[row] = i%7 >= 5
		carrier[row] = []string{"AA", "DL", "WN"}[i%3]
		d := distance[row]/128 + float64(h)/4 + float64(i*i%17)/8
		if i%11 != 10 {
			hour[row] = &h
		}
		if i%13 != 12 {
			delay[row] = &d
		}
	}
	return stream(t, nil, column{"distance", distance}, column{"hour", hour}, column{"weekend", weekend}, column{"carrier", carrier}, column{"delay", delay})
}

// kcat returns the path of the program kcat, which is installed if it can be.
func kcat(t *testing.T) string {
	t.Helper()
	i, err := install.New(t.Context(), nil)
	path := ""
	if err == nil {
		path, err = i.Program(t.Context(), "kcat", "kcat")
		_ = i.Close()
	}
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "\n*** NOT TESTED WITH KCAT: %v ***\n\n", err)
	return ""
}

// TestKcat prints the output topic as people look at topics.
func TestKcat(t *testing.T) {
	program := kcat(t)
	if program == "" {
		return // said so, loudly
	}
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{kafka: ", format: json"})
		w.feeder(t, 3).send(t, 12)
		w.settle(t)
		out, err := exec.CommandContext(t.Context(), program, "-C", "-e", "-q", "-b", env.Brokers()[0], "-t", w.output).Output()
		if err != nil {
			t.Fatal(err)
		}
		printed := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("not one JSON object: %s", line)
			}
			printed[line] = true
		}
		all := w.tail(t)
		for _, p := range all {
			if !printed[p.text] {
				t.Errorf("kcat does not print %s", p.text)
			}
		}
		if len(all) != 12 || len(printed) != 12 {
			t.Errorf("%d posteriors, kcat prints %d; want 12", len(all), len(printed))
		}
		t.Logf("%.200s ...", all[11].text)
	})
}
