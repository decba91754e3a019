//go:build unix

package local

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/credence-stream/credence/testenv/install"
)

// tools are the programs and files that the servers are made of.
type tools struct {
	java  string   // 17 or later
	redis string   // redis-server
	jars  string   // folder of Kafka's jars
	flags []string // of Kafka's JVM
	dump  string   // a flag of the broker's alone
}

// prepare finds the tools and installs those that are missing, one process
// at a time.
func prepare(ctx context.Context, o Options) (t tools, err error) {
	i, err := install.New(ctx, o.Logf)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	if t.redis, err = i.Program(ctx, "redis-server", "redis-server"); err != nil {
		return t, err
	}
	if v := redisVersion(ctx, t.redis); v < 7 {
		return t, fmt.Errorf("%s is version %d: 7 or later keeps its append-only file in a folder", t.redis, v)
	}
	if t.java, err = java(ctx, i); err != nil {
		return t, err
	}
	if t.jars, err = jars(ctx, i); err != nil {
		return t, err
	}
	if t.flags, err = sharedClasses(ctx, i, t); err != nil {
		fmt.Fprintf(os.Stderr, "testenv: brokers start without shared classes: %v\n", err)
	}
	return t, ctx.Err()
}

// java returns a Java that Kafka 4 runs on.
func java(ctx context.Context, i *install.Installer) (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" && javaVersion(ctx, filepath.Join(home, "bin", "java")) >= 17 {
		return filepath.Join(home, "bin", "java"), nil
	}
	if javaVersion(ctx, "java") >= 17 {
		return exec.LookPath("java")
	}
	const debian = "/usr/lib/jvm/java-17-openjdk-*/bin/java"
	if found, err := filepath.Glob(debian); err == nil && len(found) > 0 {
		return found[0], nil
	}
	if err := i.Packages(ctx, "openjdk-17-jre-headless"); err != nil {
		if err2 := i.Packages(ctx, "default-jre-headless"); err2 != nil {
			return "", fmt.Errorf("need Java 17 or later for Apache Kafka 4: %w", errors.Join(err, err2))
		}
	}
	if found, err := filepath.Glob(debian); err == nil && len(found) > 0 {
		return found[0], nil
	}
	if v := javaVersion(ctx, "java"); v < 17 {
		return "", fmt.Errorf("need Java 17 or later for Apache Kafka 4, found %d", v)
	}
	return exec.LookPath("java")
}

var versionLine = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// javaVersion returns the feature release of a java program, 0 for none.
func javaVersion(ctx context.Context, program string) int {
	out, err := exec.CommandContext(ctx, program, "-version").CombinedOutput()
	return versionIn(out, err, versionLine)
}

func versionIn(said []byte, err error, line *regexp.Regexp) int {
	m := line.FindSubmatch(said)
	if err != nil || m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1])) // digits by the pattern
	return n
}

var redisVersionLine = regexp.MustCompile(`v=(\d+)`)

// redisVersion returns the major version of a redis-server, 0 for none.
func redisVersion(ctx context.Context, program string) int {
	out, err := exec.CommandContext(ctx, program, "--version").Output()
	return versionIn(out, err, redisVersionLine)
}

// kafkaVersion returns the version of Apache Kafka that Start runs.
func kafkaVersion() (string, error) {
	pom, err := files.ReadFile("files/pom.xml")
	if err != nil {
		return "", err
	}
	var p struct {
		Version string `xml:"properties>kafka.version"`
	}
	if err := xml.NewDecoder(bytes.NewReader(pom)).Decode(&p); err != nil {
		return "", fmt.Errorf("pom.xml: %w", err)
	}
	return p.Version, nil
}

// jars returns the folder of Kafka's jars. It is filled once per machine,
// whole or not at all.
func jars(ctx context.Context, i *install.Installer) (string, error) {
	version, err := kafkaVersion()
	if err != nil {
		return "", err
	}
	pom, err := files.ReadFile("files/pom.xml")
	if err != nil {
		return "", err
	}
	return resolve(ctx, i, "kafka-"+version, pom)
}

// resolve returns the cache folder of this name, with the jars of what a pom
// depends on.
func resolve(ctx context.Context, i *install.Installer, name string, pom []byte) (string, error) {
	return i.Folder(name, func(dir string) error {
		mvn, err := i.Program(ctx, "mvn", "maven")
		if err != nil {
			return err
		}
		path := filepath.Join(dir, "pom.xml")
		if err := os.WriteFile(path, pom, 0o600); err != nil {
			return err
		}
		return i.Run(ctx, mvn, "--batch-mode", "--quiet", "--file", path, "dependency:copy-dependencies",
			"-DincludeScope=runtime", "-DoutputDirectory="+dir)
	})
}
