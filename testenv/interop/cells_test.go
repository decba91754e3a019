//go:build unix

package interop

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The directions, which are the columns of the matrix.
const (
	writeShards = "write-shards"
	readArrow   = "read-arrow"
	readJSON    = "read-json"
	readDraws   = "read-draws"
	overHTTP    = "http"
)

var directions = []string{writeShards, readArrow, readJSON, readDraws, overHTTP}

// cell is one client in one direction.
type cell struct {
	client, direction string
	test              func(t *testing.T, w *world)
}

// cells are all there are; those of a client stand together.
var cells = []cell{
	{"pyarrow", writeShards, pyarrowWrites},
	{"pyarrow", readArrow, pythonReads("pyarrow")},
	{"pyarrow", readDraws, pyarrowReadsDraws},
	{"pandas", readArrow, pythonReads("pandas")},
	{"polars", readArrow, pythonReads("polars")},
	{"duckdb", readArrow, duckdbReads},
	{"arviz", readDraws, arvizReadsDraws},
	{"package", writeShards, packageWrites},
	{"package", readArrow, packageReads(readArrow)},
	{"package", readJSON, packageReads(readJSON)},
	{"package", readDraws, packageReadsDraws},
	{"package", overHTTP, packageAsks},
	{"r", readJSON, rReads},
	{"r", readDraws, rReadsDraws},
	{"r", overHTTP, rAsks},
	{"java", writeShards, javaWrites},
	{"java", readJSON, javaReads},
	{"console-consumer", readJSON, consoleReads},
	{"kcat", writeShards, kcatWrites},
	{"kcat", readJSON, kcatReads},
	{"curl", overHTTP, curlAsks},
	{"go", readArrow, goReads},
	{"javascript", overHTTP, javascriptAsks},
}

// TestInterop runs every client in every direction that it has, each as a
// subtest client/direction.
func TestInterop(t *testing.T) {
	w := newWorld(t)
	for _, c := range cells {
		t.Run(c.client+"/"+c.direction, func(t *testing.T) {
			t.Parallel() // they wait for programs to start
			c.test(t, w)
		})
	}
	t.Run("package", func(t *testing.T) {
		t.Parallel()
		packageItself(t, w)
	})
	t.Run("package/clean", func(t *testing.T) {
		t.Parallel()
		packageAlone(t, w)
	})
	t.Run("registry", func(t *testing.T) {
		t.Parallel()
		registryReads(t, w)
	})
	t.Run("r/forest", func(t *testing.T) {
		t.Parallel()
		rForest(t, w)
	})
	t.Run("package/notebook", func(t *testing.T) {
		t.Parallel()
		packageNotebook(t, w)
	})
}

const page = "../../docs/interop.md"

// TestMatrix compares the matrix of the page with the subtests.
func TestMatrix(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	documented, err := matrix(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences(documented, cells) {
		t.Error(d)
	}
}

// TestMatrixFindsDifferences plants one of each kind.
func TestMatrixFindsDifferences(t *testing.T) {
	const header = "| client | write shards | read Arrow | read JSON | read draws | HTTP |\n| --- | --- | --- | --- | --- | --- |\n"
	some := []cell{{"a", writeShards, nil}, {"a", overHTTP, nil}}
	for _, c := range []struct {
		rows string
		want string
	}{
		{"| [a](x) | `a/write-shards` | | | | `a/http` |\n", ""},
		{"| [a](x) | `a/write-shards` | | | | |\n", "a/http has no cell"},
		{"| [a](x) | `a/write-shards` | `a/read-arrow` | | | `a/http` |\n", "a/read-arrow is no test"},
		{"| [a](x) | | `a/write-shards` | | | `a/http` |\n", "a/write-shards stands in the column read-arrow"},
		{"| [a](x) | `a/write-shards` | yes | | | `a/http` |\n", `"yes" names no test`},
		{"| [a](x) | `a/write-shards` | | | | `a/http` |\n| [b](x) | | | | | |\n", "a row without a test"},
	} {
		got, err := matrix(header + c.rows)
		found := differences(got, some)
		if err != nil {
			found = append(found, err.Error())
		}
		if text := strings.Join(found, "; "); (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%sfound %q, want %q", c.rows, text, c.want)
		}
	}
}

var named = regexp.MustCompile("^`([a-z-]+/[a-z-]+)`$")

// matrix returns the tests that the page's cells name.
func matrix(text string) ([]string, error) {
	var tests []string
	_, table, ok := strings.Cut(text, "| client | write shards | read Arrow | read JSON | read draws | HTTP |\n")
	if !ok {
		return nil, fmt.Errorf("%s has no matrix", page)
	}
	for row := range strings.Lines(table) {
		entries := strings.Split(strings.TrimSpace(row), "|")
		if !strings.HasPrefix(row, "|") {
			break
		}
		if strings.HasPrefix(row, "| ---") {
			continue
		}
		if len(entries) != len(directions)+3 {
			return nil, fmt.Errorf("%d columns, want %d: %s", len(entries)-2, len(directions)+1, row)
		}
		before := len(tests)
		for i, direction := range directions {
			entry := strings.TrimSpace(entries[i+2])
			if entry == "" {
				continue
			}
			m := named.FindStringSubmatch(entry)
			if m == nil {
				return nil, fmt.Errorf("%q names no test: %s", entry, row)
			}
			if !strings.HasSuffix(m[1], "/"+direction) {
				return nil, fmt.Errorf("%s stands in the column %s", m[1], direction)
			}
			tests = append(tests, m[1])
		}
		if len(tests) == before {
			return nil, fmt.Errorf("a row without a test: %s", row)
		}
	}
	return tests, nil
}

// differences returns one line for every test without a cell and every cell
// without a test.
func differences(documented []string, cells []cell) []string {
	var found, tests []string
	for _, c := range cells {
		tests = append(tests, c.client+"/"+c.direction)
	}
	for _, name := range tests {
		if !slices.Contains(documented, name) {
			found = append(found, "the test "+name+" has no cell in the matrix")
		}
	}
	for _, name := range documented {
		if !slices.Contains(tests, name) {
			found = append(found, "the matrix names "+name+", and "+name+" is no test")
		}
	}
	return found
}
