//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/install"
	"github.com/credence-stream/credence/testenv/probe"
)

// tools are programs that others made for images.
type tools struct {
	t   *testing.T
	env []string
}

// run runs a program and returns its output; what it says on stderr is told if it fails.
func (x *tools) run(name string, args ...string) string {
	x.t.Helper()
	cmd := exec.CommandContext(x.t.Context(), name, args...)
	cmd.Env = append(os.Environ(), x.env...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		x.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, problems.String(), out.String())
	}
	return out.String()
}

// startRegistry runs a registry, which speaks without TLS.
func (x *tools) startRegistry(program string) (address string) {
	x.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(x.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		x.t.Fatal(err)
	}
	address = l.Addr().String()
	if err := l.Close(); err != nil {
		x.t.Fatal(err)
	}
	dir := x.t.TempDir()
	config := filepath.Join(dir, "config.yml")
	text := fmt.Sprintf("version: 0.1\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: %q}\n", dir, address)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		x.t.Fatal(err)
	}
	cmd := exec.CommandContext(x.t.Context(), program, "serve", config)
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	x.env = append(x.env, "REGISTRY="+address)
	ctx, cancel := context.WithTimeout(x.t.Context(), probe.Patience)
	defer cancel()
	if err := probe.Until(ctx, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/v2/", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}); err != nil {
		x.t.Fatal(err)
	}
	return address
}

// listed are the files of a layer, by name: all there is of each but its time.
func listed(t *testing.T, layer io.Reader) map[string]string {
	t.Helper()
	all := map[string]string{}
	for r := tar.NewReader(layer); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.Trim(h.Name, "/")] = fmt.Sprintf("%c %o %d:%d %s %x", h.Typeflag, h.Mode&0o7777, h.Uid, h.Gid, h.Linkname, sha256.Sum256(content))
	}
}

// saved returns an engine's image: its files, and what it runs.
func (x *tools) saved(image string) (files map[string]string, run map[string]any) {
	x.t.Helper()
	files = map[string]string{}
	content := map[string][]byte{}
	for r := tar.NewReader(strings.NewReader(x.run("docker", "save", image))); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			x.t.Fatal(err)
		}
		if content[h.Name], err = io.ReadAll(r); err != nil {
			x.t.Fatal(err)
		}
	}
	var list []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(content["manifest.json"], &list); err != nil || len(list) != 1 {
		x.t.Fatalf("%s is saved as %s: %v", image, content["manifest.json"], err)
	}
	for _, name := range list[0].Layers {
		for file, is := range listed(x.t, bytes.NewReader(content[name])) {
			files[file] = is
		}
	}
	var config struct{ Config map[string]any }
	if err := json.Unmarshal(content[list[0].Config], &config); err != nil {
		x.t.Fatal(err)
	}
	run = map[string]any{}
	for _, key := range []string{"User", "ExposedPorts", "Env", "Entrypoint", "Cmd", "Healthcheck", "Labels"} {
		run[key] = config.Config[key]
	}
	return files, run
}

// TestImageElsewhere takes a released image through programs that others made: to a registry
// and back by skopeo, apart by umoci, and into an engine, which builds the same files by the
// Dockerfile and runs the program of both.
func TestImageElsewhere(t *testing.T) {
	if os.Getenv("CREDENCE_BACKEND") != "compose" || runtime.GOOS != "linux" {
		t.Skip("make containers runs it")
	}
	out, name := released(t)
	s, err := describe(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	x := &tools{t: t, env: []string{"DOCKER_BUILDKIT=0", "VERSION=" + s.version}}
	i, err := install.New(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, p := range []string{"skopeo", "umoci", "docker-registry"} {
		if paths[p], err = i.Program(t.Context(), p, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}

	address := x.startRegistry(paths["docker-registry"])
	const plain = "skopeo() { command skopeo --tls-verify=false \"$@\"; }\n"
	follow(t, out, plain+steps(t, "TestImageElsewhere"), x.env...)
	back := t.TempDir()
	x.run("skopeo", "--tls-verify=false", "--override-arch", runtime.GOARCH, "--override-os", "linux", "copy", "docker://"+address+"/credence:"+s.version, "oci:"+back+"/image:v")
	x.run("umoci", "unpack", "--image", back+"/image:v", back+"/apart")
	dir := unpack(t, filepath.Join(out, name+".tar.gz"), name)
	program := filepath.Join(dir, name, binary)
	if got := readFile(t, filepath.Join(back, "apart", "rootfs", programsFolder, binary)); !bytes.Equal(got, readFile(t, program)) {
		t.Errorf("the program that came back has %d bytes", len(got))
	}

	x.run("docker", "load", "--input", filepath.Join(out, "credence_"+s.version+"_image.oci.tar"))
	loaded := "credence:" + s.version + "-" + runtime.GOARCH
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "Dockerfile"), readFile(t, filepath.Join(root, "Dockerfile")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeRoot(t.Context(), root, filepath.Join(folder, "prebuilt"), program, s.version); err != nil {
		t.Fatal(err)
	}
	const built = "credence:compared"
	x.run("docker", "build", "--quiet", "--build-arg", "BUILDER="+x.builder(), "--build-arg", "PREBUILT=prebuilt",
		"--build-arg", "VERSION="+s.version, "--build-arg", "REVISION="+s.revision, "--tag", built, folder)
	t.Cleanup(func() {
		_ = exec.Command("docker", "image", "rm", loaded, built).Run() //nolint:noctx // the test's has ended
	})
	files, run := x.saved(loaded)
	theirs, how := x.saved(built)
	if len(files) < 15 || !reflect.DeepEqual(files, theirs) {
		t.Errorf("the engine builds other files:\n%v\nreleased:\n%v", theirs, files)
	}
	if !reflect.DeepEqual(run, how) {
		t.Errorf("the engine's image runs %v, the released one %v", how, run)
	}
	for _, image := range []string{loaded, built} {
		said := x.run("docker", "run", "--rm", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--network", "none", image, "version")
		if !strings.Contains(said, s.revision[:12]) {
			t.Errorf("%s says %q", image, said)
		}
	}
}

// builder is an image with a shell: the stand-in, or the one with Go.
func (x *tools) builder() string {
	have := strings.Fields(x.run("docker", "image", "ls", "--format", "{{.Repository}}:{{.Tag}}"))
	for _, image := range []string{"credence-base:local", "golang:1.26"} {
		if slices.Contains(have, image) {
			return image
		}
	}
	x.t.Fatal("neither credence-base:local nor golang:1.26 is in the engine: testenv/compose/prepare makes one")
	return ""
}
