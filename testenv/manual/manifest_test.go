//go:build unix

package manual

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/testenv/compose"
)

// TestManifests reads every YAML of the how-tos, and looks at what the
// Kubernetes manifest asks for.
func TestManifests(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "howto", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	deployments := 0
	for _, name := range files {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
			var d deployment
			for decoder := yaml.NewDecoder(strings.NewReader(m[1])); ; {
				if err := decoder.Decode(&d); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, m[1])
				}
			}
			if d.Kind == "Deployment" {
				deployments++
				d.look(t)
			}
		}
	}
	if deployments != 1 {
		t.Errorf("%d deployments", deployments)
	}
}

type httpProbe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// deployment is what is looked at.
type deployment struct {
	Kind string
	Spec struct {
		Selector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		}
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Grace      int `yaml:"terminationGracePeriodSeconds"`
				Containers []struct {
					Args  []string
					Ports []struct {
						Name string
						Port int `yaml:"containerPort"`
					}
					Live  httpProbe `yaml:"livenessProbe"`
					Ready httpProbe `yaml:"readinessProbe"`
					Mount []struct {
						Name string
					} `yaml:"volumeMounts"`
				}
				Volumes []struct{ Name string }
			}
		}
	}
}

func (d *deployment) look(t *testing.T) {
	t.Helper()
	pod := d.Spec.Template.Spec
	if d.Spec.Selector.MatchLabels["app"] == "" || d.Spec.Selector.MatchLabels["app"] != d.Spec.Template.Metadata.Labels["app"] {
		t.Errorf("selector %v, labels %v", d.Spec.Selector, d.Spec.Template.Metadata)
	}
	if len(pod.Containers) != 1 {
		t.Fatalf("%d containers", len(pod.Containers))
	}
	c := pod.Containers[0]
	if pod.Grace < 15 || c.Live.HTTPGet.Path != "/livez" || c.Ready.HTTPGet.Path != "/readyz" {
		t.Errorf("grace %d s, probes %+v %+v", pod.Grace, c.Live, c.Ready)
	}
	if len(c.Ports) != 1 || c.Live.HTTPGet.Port != c.Ports[0].Name || c.Ready.HTTPGet.Port != c.Ports[0].Name || c.Ports[0].Port != 8080 {
		t.Errorf("ports %+v, probes %+v %+v", c.Ports, c.Live, c.Ready)
	}
	if got := strings.Join(c.Args, " "); got != "run --config /etc/credence/consumer.yaml --set http.listen=0.0.0.0:8080" {
		t.Errorf("arguments %s", got)
	}
	if len(c.Mount) != 1 || len(pod.Volumes) != 1 || c.Mount[0].Name != pod.Volumes[0].Name {
		t.Errorf("mounts %+v, volumes %+v", c.Mount, pod.Volumes)
	}
}
