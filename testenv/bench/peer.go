//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/credence-stream/credence/internal/rscript"
	"github.com/credence-stream/credence/testenv"
)

//go:embed peers
var sources embed.FS

// libraries are what the peers in Python need.
var libraries = []string{
	"confluent-kafka==2.16.1",
	"numpy==2.4.6",
	"pandas==3.1.1",
	"pyarrow==26.0.1",
	"redis==8.1.0",
	"river==0.26.1",
}

// peer is another program that works in batches, or why it cannot be had.
type peer struct {
	missing error
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	said    bytes.Buffer
}

// peers are the programs that Credence is compared with.
type peers struct {
	dir    string // of their sources
	python string
	absent error // there is no python
	numpy  *peer // river too
	r      map[string]*peer
}

// invite installs and starts the peers in dir. What cannot be had says so in
// each of its rows.
func invite(ctx context.Context, dir string) (*peers, error) {
	if err := os.CopyFS(dir, sources); err != nil {
		return nil, err
	}
	p := &peers{dir: filepath.Join(dir, "peers"), r: map[string]*peer{}}
	if p.python, p.absent = testenv.Interpreter(ctx, "bench", libraries); p.absent != nil {
		p.numpy = &peer{missing: p.absent}
	} else {
		p.numpy = open(ctx, p.python, filepath.Join(p.dir, "serve.py"))
	}
	for _, name := range []string{"MCMCpack", "bayesm"} {
		if program, err := rscript.Find(ctx, []string{name}); err != nil {
			p.r[name] = &peer{missing: err}
		} else {
			p.r[name] = open(ctx, program, "--vanilla", filepath.Join(p.dir, "probit.R"))
		}
	}
	return p, nil
}

// close ends the programs.
func (p *peers) close() error {
	err := p.numpy.close()
	for _, r := range p.r {
		err = errors.Join(err, r.close())
	}
	return err
}

func open(ctx context.Context, program string, args ...string) *peer {
	p := &peer{cmd: exec.CommandContext(ctx, program, args...)}
	p.cmd.Env = peerEnv()
	p.cmd.Stderr = &p.said
	var out io.ReadCloser
	if p.in, p.missing = p.cmd.StdinPipe(); p.missing != nil {
		return p
	}
	if out, p.missing = p.cmd.StdoutPipe(); p.missing != nil {
		return p
	}
	p.out = bufio.NewScanner(out)
	p.missing = p.cmd.Start()
	return p
}

func (p *peer) close() error {
	if p.missing != nil {
		return nil
	}
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
		return fmt.Errorf("%s: %w: %s", p.cmd, err, p.said.Bytes())
	}
	return nil
}

// ask sends a line and returns the answer.
func (p *peer) ask(format string, args ...any) (string, error) {
	if p.missing != nil {
		return "", p.missing
	}
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err == nil && p.out.Scan() {
		return p.out.Text(), nil
	}
	_ = p.in.Close()
	_ = p.cmd.Wait() // it has said all that it says
	p.missing = fmt.Errorf("%s gave up: %s", filepath.Base(p.cmd.Path), lastWords(&p.said))
	return "", p.missing
}

// peerEnv keeps the peers to one thread, as we are.
func peerEnv() []string {
	return append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1")
}

// lastWords fit into a cell of a table.
func lastWords(said *bytes.Buffer) string {
	words := strings.Fields(strings.ReplaceAll(said.String(), "|", "/"))
	return strings.Join(words[max(0, len(words)-30):], " ")
}

// begin makes a task ready; an error says why it cannot be had.
func (p *peer) begin(task string) error {
	answer, err := p.ask("begin %s", task)
	if err == nil && answer != "ready" {
		return errors.New(strings.ReplaceAll(answer, "|", "/"))
	}
	return err
}

func (p *peer) batch(_ context.Context, d time.Duration) (pace, error) {
	answer, err := p.ask("run %g", d.Seconds())
	if err != nil {
		return pace{}, err
	}
	var pieces, cpu, wall float64
	if _, err := fmt.Sscan(answer, &pieces, &cpu, &wall); err != nil {
		return pace{}, fmt.Errorf("%q: %w", answer, err)
	}
	return pace{cpu / pieces, wall / pieces}, nil
}
