//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// process is a server that is killed and started again under one name. Its
// output goes to a file, of which the end explains a failed start.
type process struct {
	log  string
	args []string
	dir  string

	mu   sync.Mutex
	cmd  *exec.Cmd     // nil while down
	done chan struct{} // closed when cmd has ended
}

// start starts the process in a group of its own, which dies with this one.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.alive() {
		return nil
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the child has its own descriptor
	// Only kill ends it; it outlives the context of whoever started it.
	cmd := exec.CommandContext(context.Background(), p.args[0], p.args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, log, log
	cmd.SysProcAttr = dieWithParent()
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		cmd.Wait() //nolint:errcheck // killed is how it ends
		close(done)
	}()
	p.cmd, p.done = cmd, done
	return nil
}

// alive reports whether the process runs; p.mu is held.
func (p *process) alive() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// ended returns an error with the end of the log when the process is not
// running, so that nobody waits for what will never answer.
func (p *process) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.alive() {
		return nil
	}
	return fmt.Errorf("%s has ended: %s", p.args[0], tail(p.log, 4000))
}

// pid returns the id of the process, 0 while it is down.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() {
		return 0
	}
	return p.cmd.Process.Pid
}

// signal sends sig to the process group. After SIGSTOP it returns when the process
// has stopped.
func (p *process) signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() {
		return fmt.Errorf("%s is not running", p.args[0])
	}
	err := syscall.Kill(-p.cmd.Process.Pid, sig)
	if err == nil && sig == syscall.SIGSTOP {
		err = awaitStop(p.cmd.Process.Pid)
	}
	return err
}

// kill sends SIGKILL, also to a stopped process, and returns when it is gone.
func (p *process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() {
		return nil
	}
	err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		err = nil
	}
	<-p.done
	p.cmd = nil
	return err
}

// stop sends SIGTERM and returns when the process has ended.
func (p *process) stop(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() {
		return nil
	}
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.done:
		p.cmd = nil
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s has not ended after SIGTERM: %w", p.args[0], ctx.Err())
	}
}

// tail returns the last n bytes of a file.
func tail(path string, n int) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-n):])
}
