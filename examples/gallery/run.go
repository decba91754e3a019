package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/credence-stream/credence/internal/embedded"
)

// programs are the two command lines, built.
type programs struct {
	root string // of the module
	dir  string // temporary, with the binaries
}

// build builds the producer and the consumer of the module in the working
// directory or above it.
func build(ctx context.Context, messages io.Writer) (*programs, error) {
	out, err := command(ctx, "", messages, "go", "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	p := &programs{root: filepath.Dir(strings.TrimSpace(string(out)))}
	if _, err := os.Stat(filepath.Join(p.root, "examples", "gallery")); err != nil {
		return nil, fmt.Errorf("run this inside a clone of Credence: %w", err)
	}
	if p.dir, err = os.MkdirTemp("", "credence-gallery-*"); err != nil {
		return nil, err
	}
	// The separator at the end makes it a folder for both.
	_, err = command(ctx, p.root, messages, "go", "build", "-o", p.dir+string(filepath.Separator), "./cmd/consumer", "./cmd/producer")
	if err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

func (p *programs) remove() { _ = os.RemoveAll(p.dir) }

// run sends the data of a scenario, absorbs it and reads the posteriors, on a
// broker and a store of its own, by the commands that its README gives.
func (p *programs) run(ctx context.Context, s *scenario, messages io.Writer) (r *result, err error) {
	servers, err := embedded.Start(ctx, embedded.Options{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := servers.Close(); err == nil {
			err = e
		}
	}()
	brokers := strings.Join(servers.Brokers(), ",")
	shards := 0
	for _, d := range s.sends {
		out, err := p.tool(ctx, "producer", messages, append(s.arguments(d), "--brokers", brokers)...)
		if err != nil {
			return nil, err
		}
		n := 0
		if _, err := fmt.Sscanf(string(out), "sent %d shards", &n); err != nil {
			return nil, fmt.Errorf("the producer said %q: %w", out, err)
		}
		shards += n
	}
	with := []string{
		"--config", s.folder() + "/credence.yaml",
		"--set", "kafka.brokers=" + brokers, "--set", "redis.url=" + servers.RedisURL(), "--set", "http.listen=",
	}
	if _, err := p.tool(ctx, "consumer", messages, append([]string{"run", "--until-end"}, with...)...); err != nil {
		return nil, err
	}
	out, err := p.tool(ctx, "consumer", messages,
		append([]string{"tail", "--from", "beginning", "--until-end", "--format", "json"}, with...)...)
	if err != nil {
		return nil, err
	}
	if r, err = parse(bytes.NewReader(out)); err != nil {
		return nil, err
	}
	// A shard that cannot be applied is a dead letter and publishes nothing.
	if shards != r.shards {
		return nil, fmt.Errorf("%d of %d shards were refused: the consumer's log says why, if you run the commands of the page", shards-r.shards, shards)
	}
	r.rows, err = load(filepath.Join(p.root, s.folder(), s.file))
	return r, err
}

// tool runs one of the two programs at the module's root.
func (p *programs) tool(ctx context.Context, name string, messages io.Writer, args ...string) ([]byte, error) {
	fmt.Fprintf(messages, "%s %s\n", name, strings.Join(args, " "))
	return command(ctx, p.root, io.Discard, filepath.Join(p.dir, name), args...)
}

// command runs a program and returns its output. What it says beside goes to
// messages, and into the error where it fails.
func command(ctx context.Context, dir string, messages io.Writer, name string, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, io.MultiWriter(&said, messages)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, said.String())
	}
	return out.Bytes(), nil
}
