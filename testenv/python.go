//go:build unix

package testenv

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/credence-stream/credence/testenv/install"
)

// requirements are the libraries with which others read and write our topics;
// these versions need Python 3.11 or later.
var requirements = []string{
	`arviz==0.23.4; python_version < "3.12"`,
	`arviz==1.3.0; python_version >= "3.12"`,
	"confluent-kafka==2.16.1",
	"duckdb==2.0.0",
	"numpy==2.4.6",
	"pandas==3.1.1",
	"polars==2.1.0",
	"pyarrow==26.0.1",
	"xarray==2026.9.0",
}

// tester is what sends requests made from an OpenAPI document.
var tester = []string{"schemathesis==4.32.5"}

// Python returns a Python interpreter that has ArviZ, confluent-kafka, DuckDB,
// pandas, polars and pyarrow. The first call on a machine makes a virtual
// environment in the user's cache and takes a minute; the program python3 with
// its module venv is installed if it can be. Where that fails the test fails
// in CI (CI=true); elsewhere a loud line says so and Python returns "".
func Python(t TB) string {
	t.Helper()
	return loud(t, "PYTHON'S KAFKA AND ARROW", "python", requirements)
}

// Schemathesis returns an interpreter that has schemathesis, as Python does:
// it is run with -m schemathesis.cli.
func Schemathesis(t TB) string {
	t.Helper()
	return loud(t, "SCHEMATHESIS", "schemathesis", tester)
}

// formulas is the program whose design matrices ours are compared with.
var formulas = []string{"formulaic==1.2.2", "numpy==2.4.6", "pandas==3.1.1"}

// Formulaic returns an interpreter that has formulaic, as Python does.
func Formulaic(t TB) string {
	t.Helper()
	return loud(t, "FORMULAIC", "formulaic", formulas)
}

// serializers are the libraries by which others write Avro and Protobuf, also with a
// schema registry.
var serializers = []string{"confluent-kafka[avro,protobuf]==2.16.1", "fastavro==1.13.1", "protobuf==7.36.2"}

// Serializers returns an interpreter that has fastavro, protobuf and Confluent's
// serializers, as Python does.
func Serializers(t TB) string {
	t.Helper()
	return loud(t, "PYTHON'S AVRO AND PROTOBUF", "serializers", serializers)
}

func loud(t TB, what, program string, packages []string) string {
	t.Helper()
	path, err := Interpreter(t.Context(), program, packages)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s: %v", program, err)
	}
	fmt.Fprintf(os.Stderr, "\n*** NOT TESTED WITH %s: %v ***\n\n", what, err)
	return ""
}

// Interpreter returns the interpreter of a virtual environment of that name that
// has the packages, which it makes as Python does.
func Interpreter(ctx context.Context, name string, packages []string) (_ string, err error) {
	i, err := install.New(ctx, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	sum := sha256.Sum256([]byte(strings.Join(packages, " ")))
	dir, err := i.Folder(fmt.Sprintf("%s-%x", name, sum[:4]), func(dir string) error {
		python3, err := i.Program(ctx, "python3", "python3", "python3-venv")
		if err != nil {
			return err
		}
		if exec.CommandContext(ctx, python3, "-c", "import venv, ensurepip").Run() != nil {
			if err := i.Packages(ctx, "python3-venv"); err != nil {
				return err
			}
		}
		if err := i.Run(ctx, python3, "-m", "venv", dir); err != nil {
			return err
		}
		return i.Run(ctx, filepath.Join(dir, "bin", "python"), append([]string{
			"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"}, packages...)...)
	})
	return filepath.Join(dir, "bin", "python"), err
}
