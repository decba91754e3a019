package compose

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOneKafkaVersion compares the image's tag with the version that the local
// back end and the stand-in image run.
func TestOneKafkaVersion(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "testenv", "local", "files", "pom.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var pom struct {
		Version string `xml:"properties>kafka.version"`
	}
	if err := xml.Unmarshal(b, &pom); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	tag := regexp.MustCompile(`image: apache/kafka:(\S+)`).FindSubmatch(file)
	if tag == nil || pom.Version == "" || string(tag[1]) != pom.Version {
		t.Errorf("docker-compose.yml has kafka %q, pom.xml %q", tag, pom.Version)
	}
}

// TestLoopbackOnly looks at every published port.
func TestLoopbackOnly(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	ports := regexp.MustCompile(`(?m)^\s+ports:\n((?:\s+- .*\n)+)`).FindAllStringSubmatch(string(file), -1)
	if len(ports) != 3 {
		t.Errorf("%d services publish ports, want 3", len(ports))
	}
	for _, p := range ports {
		for line := range strings.Lines(p[1]) {
			if !strings.HasPrefix(strings.TrimSpace(line), `- "127.0.0.1:`) {
				t.Errorf("published beyond the loopback interface: %s", line)
			}
		}
	}
}
