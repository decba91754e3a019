//go:build unix

package interop

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/install"
	"github.com/credence-stream/credence/testenv/local"
)

// missing ends a test whose client can't be had: a failure in CI, a loud line
// elsewhere.
func missing(t *testing.T, client string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s: %v", client, err)
	}
	fmt.Fprintf(os.Stderr, "\n*** NOT TESTED WITH %s: %v ***\n\n", client, err)
	t.Skipf("%s: %v", client, err)
}

// source returns the text of a file of examples/clients.
func source(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(example(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// installed calls find with an installer.
func installed(ctx context.Context, find func(*install.Installer) error) (err error) {
	i, err := install.New(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	return find(i)
}

// program sees to it that a program of a Debian package is on the PATH.
func program(t *testing.T, name, debian string) {
	t.Helper()
	missing(t, name, installed(t.Context(), func(i *install.Installer) error {
		_, err := i.Program(t.Context(), name, debian)
		return err
	}))
}

// python returns an interpreter with the libraries of the examples.
func python(t *testing.T) string {
	t.Helper()
	path := testenv.Python(t)
	if path == "" {
		t.Skip("no Python") // said so, loudly
	}
	return path
}

// javaProgram is a compiled example.
type javaProgram struct {
	java string
	path string // its class path
}

// compiled compiles an example in Java.
func compiled(t *testing.T, class string) javaProgram {
	t.Helper()
	found, err := local.FindClients(t.Context(), local.Options{})
	missing(t, "Java's Kafka clients", err)
	dir := t.TempDir()
	jars := filepath.Join(found.Jars, "*")
	run(t, nil, found.Javac, "-Xlint:all", "-Werror", "--release", "17", "-proc:none", "-d", dir, "-cp", jars, example(t, "java/"+class+".java"))
	return javaProgram{found.Java, dir + string(filepath.ListSeparator) + jars}
}

// consoleConsumer returns a PATH with the command that starts Kafka's console
// consumer. The archive that users have brings such a script; Maven has what
// it starts.
func consoleConsumer(t *testing.T) string {
	t.Helper()
	found, err := local.FindClients(t.Context(), local.Options{})
	missing(t, "Kafka's console consumer", err)
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nexec %q -cp '%s' org.apache.kafka.tools.consumer.ConsoleConsumer \"$@\"\n", found.Java, filepath.Join(found.Jars, "*"))
	if err := os.WriteFile(filepath.Join(dir, "kafka-console-consumer.sh"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return dir + string(filepath.ListSeparator) + os.Getenv("PATH")
}

// javascript returns a Node.js and the folder of the modules that the example
// depends on, by its lock file.
func javascript(t *testing.T) (node, modules string) {
	t.Helper()
	lock := source(t, "javascript/package-lock.json")
	sum := sha256.Sum256([]byte(lock))
	var folder string
	missing(t, "Node.js and npm", installed(t.Context(), func(i *install.Installer) (err error) {
		if node, err = i.Program(t.Context(), "node", "nodejs"); err != nil {
			return err
		}
		npm, err := i.Program(t.Context(), "npm", "npm")
		if err != nil {
			return err
		}
		folder, err = i.Folder(fmt.Sprintf("node-%x", sum[:4]), func(dir string) error {
			for name, text := range map[string]string{"package-lock.json": lock, "package.json": source(t, "javascript/package.json")} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					return err
				}
			}
			return i.Run(t.Context(), npm, "--prefix", dir, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		})
		return err
	}))
	return node, filepath.Join(folder, "node_modules")
}
