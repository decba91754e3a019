//go:build linux

package local

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSharedClasses has a JVM that runs with the archive alone start one of Kafka's
// programs as brokers are started, and sees that it takes Kafka's classes from there.
func TestSharedClasses(t *testing.T) {
	found, err := prepare(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.flags) == 0 {
		fmt.Fprintf(os.Stderr, "\n*** NOT TESTED: %s shares no classes ***\n\n", found.java)
		t.Skip("see the line above")
	}
	args := slices.Concat(found.flags, []string{
		"-Xshare:on", "-Xlog:class+load", "-XX:+UseSerialGC", "-cp", filepath.Join(found.jars, "*"), "kafka.tools.StorageTool", "random-uuid",
	})
	out, err := exec.CommandContext(t.Context(), found.java, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.1000s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, " org.apache.kafka.common.Uuid source:") {
			if !strings.Contains(line, "shared objects file (top)") {
				t.Error(line)
			}
			return
		}
	}
	t.Errorf("no class of Kafka was loaded:\n%.1000s", out)
}
