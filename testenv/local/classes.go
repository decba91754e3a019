//go:build unix

package local

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/credence-stream/credence/testenv/install"
	"github.com/credence-stream/credence/testenv/probe"
)

// sharedClasses returns the flags by which a JVM maps Kafka's classes from an archive, and
// does not read and verify thousands of them: half the processor time of a broker's start.
// A broker that starts and ends makes the archive, once for each Java and Kafka of a
// machine. A Java that makes none starts brokers without; one to which an archive does not
// fit any more says so in the broker's log, and does without.
func sharedClasses(ctx context.Context, i *install.Installer, t tools) ([]string, error) {
	said, err := exec.CommandContext(ctx, t.java, "-version").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s -version: %w: %s", t.java, err, said)
	}
	sum := sha256.Sum256(append(said, t.jars...))
	dir, err := i.Folder(fmt.Sprintf("kafka-classes-%x", sum[:4]), func(dir string) error {
		return archiveClasses(ctx, t, filepath.Join(dir, archive))
	})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, archive)
	if _, err := os.Stat(path); err != nil {
		return nil, nil // this Java made none
	}
	return []string{"-XX:SharedArchiveFile=" + path}, nil
}

// archive is the name of the file with the classes.
const archive = "classes.jsa"

// archiveClasses has a broker write the classes that it has loaded when it ends.
func archiveClasses(ctx context.Context, t tools, path string) error {
	dir, err := newFolder()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the next run tries again
	t.dump = "-XX:ArchiveClassesAtExit=" + path
	k, err := startKafka(ctx, t, filepath.Join(dir, "kafka"), "")
	if err != nil {
		return err
	}
	defer k.proc.kill() //nolint:errcheck // it has ended, or is not waited for longer
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return k.proc.stop(ctx)
}
