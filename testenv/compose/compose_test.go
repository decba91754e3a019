package compose

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
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
	if len(ports) != 5 {
		t.Errorf("%d services publish ports, want 5", len(ports))
	}
	for _, p := range ports {
		for line := range strings.Lines(p[1]) {
			if !strings.HasPrefix(strings.TrimSpace(line), `- "127.0.0.1:`) {
				t.Errorf("published beyond the loopback interface: %s", line)
			}
		}
	}
}

// TestMountsExist parses the file and looks for what is mounted from the repository, and
// whether what serves to observe starts only where it is asked for.
func TestMountsExist(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Image    string
			Profiles []string
			Volumes  []string
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	mounts := 0
	for name, s := range file.Services {
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if !strings.HasPrefix(from, "./") {
				if _, ok := file.Volumes[from]; !ok {
					t.Errorf("%s mounts the volume %s, which is not declared", name, from)
				}
				continue
			}
			mounts++
			if _, err := os.Stat(filepath.Join(root, from)); err != nil || !strings.HasSuffix(v, ":ro") {
				t.Errorf("%s mounts %s: %v", name, v, err)
			}
		}
		if observes := name == "prometheus" || name == "grafana"; observes != (len(s.Profiles) == 1 && s.Profiles[0] == "observe") {
			t.Errorf("%s has the profiles %v", name, s.Profiles)
		}
		if strings.HasSuffix(s.Image, ":latest") || !strings.Contains(s.Image, ":") {
			t.Errorf("%s has the image %s: a tag says which", name, s.Image)
		}
	}
	if mounts != 4 {
		t.Errorf("%d mounts from the repository, want 4", mounts)
	}
}
