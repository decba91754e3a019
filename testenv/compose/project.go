package compose

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/credence-stream/credence/testenv/probe"
)

// prefix starts the name of every project of a test; the process id follows.
const prefix = "credence-test-"

// Project is one copy of docker-compose.yml with its own name and its own
// loopback ports, which the file takes from the environment.
type Project struct {
	Name               string
	Kafka, Redis, HTTP int // ports on 127.0.0.1

	root string   // folder of docker-compose.yml
	tool []string // docker compose or docker-compose
}

// Available reports why compose projects can't be run here, nil when they can.
func Available(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if _, err := exec.LookPath("docker"); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "docker", "info", "--format", "{{.ServerVersion}}").CombinedOutput(); err != nil {
		return fmt.Errorf("no Docker engine answers: %w: %s", err, out)
	}
	_, err := tool(ctx)
	return err
}

// tool returns the command line of compose, of either generation.
func tool(ctx context.Context) ([]string, error) {
	if exec.CommandContext(ctx, "docker", "compose", "version").Run() == nil {
		return []string{"docker", "compose"}, nil
	}
	if path, err := exec.LookPath("docker-compose"); err == nil {
		return []string{path}, nil
	}
	return nil, errors.New("neither docker compose nor docker-compose is installed")
}

// newProject prepares a project on free ports. Nothing runs yet.
func newProject(ctx context.Context, name string) (*Project, error) {
	t, err := tool(ctx)
	if err != nil {
		return nil, err
	}
	root, err := Root()
	if err != nil {
		return nil, err
	}
	p := &Project{Name: name, root: root, tool: t}
	for _, port := range []*int{&p.Kafka, &p.Redis, &p.HTTP} {
		if *port, err = probe.FreePort(ctx, "127.0.0.1"); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Root returns the folder of the module's go.mod, from the working directory
// upwards.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = up
	}
}

// Run runs compose on the project, for example Run(ctx, "up", "-d", "producer"),
// and returns its standard output.
func (p *Project) Run(ctx context.Context, args ...string) ([]byte, error) {
	args = append([]string{"--project-name", p.Name, "--file", filepath.Join(p.root, "docker-compose.yml")}, args...)
	return p.command(ctx, nil, p.tool[0], append(p.tool[1:len(p.tool):len(p.tool)], args...)...)
}

func (p *Project) docker(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return p.command(ctx, stdin, "docker", args...)
}

func (p *Project) command(ctx context.Context, stdin []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = p.root
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(),
		fmt.Sprintf("CREDENCE_PORT_KAFKA=%d", p.Kafka),
		fmt.Sprintf("CREDENCE_PORT_REDIS=%d", p.Redis),
		fmt.Sprintf("CREDENCE_PORT_HTTP=%d", p.HTTP),
	)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		said := problems.Bytes()
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, said[max(0, len(said)-1500):])
	}
	return out.Bytes(), nil
}

// container returns the id of a service's container, running or not.
func (p *Project) container(ctx context.Context, service string) (string, error) {
	out, err := p.docker(ctx, nil, "ps", "--all", "--quiet",
		"--filter", "label=com.docker.compose.project="+p.Name,
		"--filter", "label=com.docker.compose.service="+service)
	if err != nil {
		return "", err
	}
	ids := strings.Fields(string(out))
	if len(ids) != 1 {
		return "", fmt.Errorf("service %s has %d containers", service, len(ids))
	}
	return ids[0], nil
}

// each runs a docker command on the container of a service unless it is in the
// wanted state already.
func (p *Project) each(ctx context.Context, service, field, want string, args ...string) error {
	id, err := p.container(ctx, service)
	if err != nil {
		return err
	}
	state, err := p.docker(ctx, nil, "inspect", "--format", "{{.State."+field+"}}", id)
	if err != nil || strings.TrimSpace(string(state)) == want {
		return err
	}
	_, err = p.docker(ctx, nil, append(args, id)...)
	return err
}

// Kill ends a service's container with SIGKILL, also a paused one.
func (p *Project) Kill(ctx context.Context, service string) error {
	if err := p.Resume(ctx, service); err != nil { // some engines can't kill what is frozen
		return err
	}
	return p.each(ctx, service, "Running", "false", "kill")
}

// Start starts a service's container again.
func (p *Project) Start(ctx context.Context, service string) error {
	return p.each(ctx, service, "Running", "true", "start")
}

// Pause freezes a service's container.
func (p *Project) Pause(ctx context.Context, service string) error {
	return p.each(ctx, service, "Paused", "true", "pause")
}

// Resume ends a pause.
func (p *Project) Resume(ctx context.Context, service string) error {
	return p.each(ctx, service, "Paused", "false", "unpause")
}

// Down removes the project with its data.
func (p *Project) Down(ctx context.Context) error {
	_, err := p.Run(ctx, "down", "--volumes", "--remove-orphans", "--timeout", "1")
	return err
}
