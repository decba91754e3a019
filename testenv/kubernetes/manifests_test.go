package kubernetes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

const folder = "../../deploy/kubernetes"

// kustomization is what kustomize is told, with no key beside.
type kustomization struct {
	meta.TypeMeta      `json:",inline"`
	Resources          []string `json:"resources"`
	ConfigMapGenerator []struct {
		Name  string   `json:"name"`
		Files []string `json:"files"`
	} `json:"configMapGenerator"`
	Images []struct {
		Name    string `json:"name"`
		NewName string `json:"newName"`
		NewTag  string `json:"newTag"`
	} `json:"images"`
}

// scaledObject is the part of KEDA's resource that is used.
type scaledObject struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		ScaleTargetRef struct {
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		MinReplicaCount int32 `json:"minReplicaCount"`
		MaxReplicaCount int32 `json:"maxReplicaCount"`
		PollingInterval int32 `json:"pollingInterval"`
		CooldownPeriod  int32 `json:"cooldownPeriod"`
		Advanced        struct {
			HorizontalPodAutoscalerConfig struct {
				Behavior autoscaling.HorizontalPodAutoscalerBehavior `json:"behavior"`
			} `json:"horizontalPodAutoscalerConfig"`
		} `json:"advanced"`
		Triggers []struct {
			Type     string            `json:"type"`
			Metadata map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// read decodes a file strictly: an unknown or repeated key is an error.
func read[T any](t *testing.T, name string) *T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	js, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var v T
	unknown, err := json.UnmarshalStrict(js, &v) // the library's: upper case counts, as it does in a cluster
	if err != nil || len(unknown) > 0 {
		t.Fatalf("%s: %v, %v", name, err, unknown)
	}
	return &v
}

func selects(t *testing.T, what string, s *meta.LabelSelector, pod map[string]string) {
	t.Helper()
	selector, err := meta.LabelSelectorAsSelector(s)
	if err != nil || selector.Empty() || !selector.Matches(labels.Set(pod)) {
		t.Errorf("%s selects %v, pods have %v: %v", what, s, pod, err)
	}
}

// Every file has the keys of its kind and no others, and they fit together.
func TestManifests(t *testing.T) {
	k := read[kustomization](t, "kustomization.yaml")
	if want := []string{"deployment.yaml", "disruption.yaml", "service.yaml", "scaling.yaml"}; !slices.Equal(k.Resources, want) {
		t.Errorf("resources %q, want %q", k.Resources, want)
	}
	d := read[apps.Deployment](t, "deployment.yaml")
	pod := d.Spec.Template
	selects(t, "the deployment", d.Spec.Selector, pod.Labels)
	for key, value := range pod.Labels {
		if why := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(why) > 0 {
			t.Errorf("label %s: %q", key, why)
		}
	}
	if d.APIVersion != "apps/v1" || d.Kind != "Deployment" || d.Spec.Replicas != nil || len(pod.Spec.Containers) != 1 {
		t.Fatalf("%+v", d)
	}
	b := read[policy.PodDisruptionBudget](t, "disruption.yaml")
	selects(t, "the disruption budget", b.Spec.Selector, pod.Labels)
	if b.APIVersion != "policy/v1" || b.Spec.MaxUnavailable.IntValue() != 1 || b.Spec.MinAvailable != nil {
		t.Errorf("%+v", b.Spec)
	}
	s := read[core.Service](t, "service.yaml")
	selects(t, "the service", &meta.LabelSelector{MatchLabels: s.Spec.Selector}, pod.Labels)
	c := pod.Spec.Containers[0]
	if len(c.Ports) != 1 || len(s.Spec.Ports) != 1 || s.Spec.Ports[0].TargetPort.StrVal != c.Ports[0].Name || c.Ports[0].ContainerPort != 8080 {
		t.Errorf("ports %+v, of the service %+v", c.Ports, s.Spec.Ports)
	}
	if len(k.Images) != 1 || !strings.HasPrefix(c.Image, k.Images[0].Name+":") {
		t.Errorf("image %s, kustomize knows %+v", c.Image, k.Images)
	}
	scaled(t, read[scaledObject](t, "scaling.yaml"), d.Name)
	mounted(t, &pod.Spec, k)
}

// TestRights shows that the pod is what the restricted profile of Kubernetes admits.
func TestRights(t *testing.T) {
	spec := read[apps.Deployment](t, "deployment.yaml").Spec.Template.Spec
	p, c := spec.SecurityContext, spec.Containers[0]
	s := c.SecurityContext
	if p == nil || s == nil || !*p.RunAsNonRoot || *p.RunAsUser != 65532 || p.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault ||
		*s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
		t.Errorf("pod %+v, container %+v", p, s)
	}
	if *spec.AutomountServiceAccountToken || spec.HostNetwork || spec.HostPID || spec.HostIPC {
		t.Error("the pod can reach the cluster or its node")
	}
	if c.Resources.Limits.Memory().Value() < 1800<<20 {
		t.Errorf("memory limit %v: what consumer.yaml allows is 1.6 GB", c.Resources.Limits.Memory())
	}
	if *spec.TerminationGracePeriodSeconds < 15 || c.LivenessProbe.HTTPGet.Path != "/livez" || c.ReadinessProbe.HTTPGet.Path != "/readyz" ||
		c.StartupProbe.HTTPGet.Path != "/livez" || c.LivenessProbe.HTTPGet.Port.StrVal != c.Ports[0].Name {
		t.Errorf("grace %d s, probes %+v %+v", *spec.TerminationGracePeriodSeconds, c.LivenessProbe, c.ReadinessProbe)
	}
	for _, e := range c.Env {
		t.Errorf("%s is in the environment: secrets are files", e.Name)
	}
}

func scaled(t *testing.T, s *scaledObject, target string) {
	t.Helper()
	c := read[struct {
		Kafka struct {
			Brokers []string `json:"brokers"`
			Group   string   `json:"group"`
			Input   string   `json:"input"`
			Output  string   `json:"output"`
			Create  bool     `json:"create_topics"`
		} `json:"kafka"`
		Redis  map[string]string   `json:"redis"`
		HTTP   map[string]string   `json:"http"`
		Memory map[string]string   `json:"memory"`
		Models []map[string]string `json:"models"`
	}](t, "consumer.yaml")
	if s.APIVersion != "keda.sh/v1alpha1" || s.Kind != "ScaledObject" || s.Spec.ScaleTargetRef.Name != target || len(s.Spec.Triggers) != 1 || s.Spec.Triggers[0].Type != "kafka" ||
		s.Spec.MinReplicaCount < 1 || s.Spec.MaxReplicaCount <= s.Spec.MinReplicaCount {
		t.Fatalf("%+v", s)
	}
	m := s.Spec.Triggers[0].Metadata
	if m["consumerGroup"] != c.Kafka.Group || m["topic"] != c.Kafka.Input || m["bootstrapServers"] != strings.Join(c.Kafka.Brokers, ",") || m["lagThreshold"] == "" {
		t.Errorf("KEDA looks at %v, the consumer at %+v", m, c.Kafka)
	}
}

// mounted shows that each file that consumer.yaml names is below a mount.
func mounted(t *testing.T, spec *core.PodSpec, k *kustomization) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "consumer.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	mounts := map[string]string{}
	for _, m := range spec.Containers[0].VolumeMounts {
		mounts[m.Name] = m.MountPath
		if !m.ReadOnly {
			t.Errorf("%s can be written", m.MountPath)
		}
	}
	for _, v := range spec.Volumes {
		switch {
		case v.ConfigMap != nil && (v.ConfigMap.Name != k.ConfigMapGenerator[0].Name || mounts[v.Name]+"/"+k.ConfigMapGenerator[0].Files[0] != spec.Containers[0].Args[2]):
			t.Errorf("the configuration is %s in %s, the consumer reads %q", v.ConfigMap.Name, mounts[v.Name], spec.Containers[0].Args)
		case v.Secret != nil && strings.Count(string(text), "_file: "+mounts[v.Name]+"/") != strings.Count(string(text), "_file: "):
			t.Errorf("consumer.yaml names a file outside %s", mounts[v.Name])
		}
	}
	if len(mounts) != 2 || len(spec.Volumes) != 2 {
		t.Errorf("mounts %v of %d volumes", mounts, len(spec.Volumes))
	}
}
