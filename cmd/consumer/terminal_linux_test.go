package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/testenv/probe"
)

// person sits at a terminal in which the program runs.
type person struct {
	*testing.T
	screen *os.File
	said   strings.Builder
	cmd    *exec.Cmd
}

const columns = 80

// atTerminal starts the program in a terminal. It heeds the signals of one also where the
// tests do not, as under nohup: what they ignore it would ignore as well.
func atTerminal(t *testing.T, env []string, args ...string) *person {
	t.Helper()
	heeded := make(chan os.Signal, 1)
	signal.Notify(heeded, syscall.SIGHUP, syscall.SIGINT)
	defer signal.Stop(heeded)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	screen, inner := terminal(t, columns)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{"consumer"}, args...)
	cmd.Env = append(os.Environ(), append(env, "TERM=xterm")...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inner, inner, inner
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := inner.Close(); err != nil {
		t.Fatal(err)
	}
	return &person{T: t, screen: screen, cmd: cmd}
}

// until reads until a pattern was on the screen.
func (p *person) until(pattern string) {
	p.Helper()
	find, b := regexp.MustCompile(pattern), make([]byte, 4096)
	for !find.MatchString(p.said.String()) {
		n, err := p.screen.Read(b)
		p.said.Write(b[:n])
		if err != nil {
			p.Fatalf("ended without %s: %v\n%q", pattern, err, p.said.String())
		}
	}
}

// interrupt presses Ctrl-C, and returns what was on the screen in the end and the exit code.
func (p *person) interrupt() (string, int) {
	p.Helper()
	if _, err := p.screen.WriteString("\x03"); err != nil {
		p.Fatal(err)
	}
	if rest, err := io.ReadAll(p.screen); err != nil && !errors.Is(err, unix.EIO) { // EIO: nobody has it open
		p.Fatal(err)
	} else {
		p.said.Write(rest)
	}
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		p.Fatal(err)
	}
	return p.said.String(), p.cmd.ProcessState.ExitCode()
}

// sold is a file of rows of two shops.
func sold(t *testing.T, rows int) string {
	var b strings.Builder
	b.WriteString("shop,price,sold\n")
	for i := range rows {
		fmt.Fprintf(&b, "s%d,%d.5,%d\n", i%2, i%7, 40+i%7*3+i%5)
	}
	return clitest.WriteFile(t, "sales.csv", []byte(b.String()))
}

// moves are what a terminal takes as commands.
var moves = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// TestTryAtATerminal: the page stays until Ctrl-C, which is no failure, and no bar is drawn
// over the report.
func TestTryAtATerminal(t *testing.T) {
	p := atTerminal(t, nil, "try", sold(t, 4000), "--response", "sold", "--key", "shop", "--no-browser", "--listen", "127.0.0.1:0")
	p.until("the page stays at http://127.0.0.1:[0-9]+ until Ctrl-C")
	said, code := p.interrupt()
	_, after, ok := strings.Cut(said, "What was learnt about sold")
	if !ok || code != 0 || strings.Contains(after, "rows read") || strings.Contains(after, "rows learnt from") || strings.Count(after, "reached the end in") != 1 {
		t.Errorf("exit code %d:\n%q", code, said)
	}
}

// TestTryWhoseTerminalIsClosed: it ends in order, and leaves nothing in the temporary folder,
// which can be gigabytes.
func TestTryWhoseTerminalIsClosed(t *testing.T) {
	temp := t.TempDir()
	p := atTerminal(t, []string{"TMPDIR=" + temp}, "try", sold(t, 400), "--response", "sold", "--key", "shop", "--no-browser", "--listen", "127.0.0.1:0")
	p.until("the page stays at http://127.0.0.1:[0-9]+ until Ctrl-C")
	if held, err := os.ReadDir(temp); err != nil || len(held) == 0 {
		t.Errorf("nothing is kept meanwhile: %v", err)
	}
	if err := p.screen.Close(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(probe.Patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	err := p.cmd.Wait()
	if held, _ := os.ReadDir(temp); err != nil || len(held) > 0 {
		t.Errorf("it ends with %v and leaves %v", err, held)
	}
}

// TestTryInterruptedAtATerminal: Ctrl-C in the middle ends it with its account and exit code 1, below a bar
// that fits the terminal and has colours unless they are not wanted.
func TestTryInterruptedAtATerminal(t *testing.T) {
	file := sold(t, 200_000) // seconds of work, so that it ends in the middle
	for _, plain := range []string{"", "1"} {
		p := atTerminal(t, []string{"NO_COLOR=" + plain}, "try", file, "--response", "sold", "--key", "shop", "--rows", "1", "--no-browser", "--listen", "127.0.0.1:0")
		p.until("rows learnt from +([6-9]|[1-9][0-9])%[^\r]*\r") // a part of the bar that has a colour
		said, code := p.interrupt()
		if strings.Contains(said, "\x1b[32m") != (plain == "") {
			t.Errorf("NO_COLOR=%s: %q", plain, said)
		}
		for _, line := range regexp.MustCompile("[\r\n]+").Split(strings.ReplaceAll(moves.ReplaceAllString(said, ""), "^C", ""), -1) {
			if strings.Contains(line, "rows learnt from") && len([]rune(line)) > columns {
				t.Errorf("a bar of %d columns: %q", len([]rune(line)), line)
			}
		}
		_, account, ok := strings.Cut(said, "stopped before the end, after ")
		if !ok || code != 1 || !regexp.MustCompile(`^[0-9.]+ s: [0-9,]+ records?, [0-9,]+ rows? .*, [0-2] keys?\.`).MatchString(account) {
			t.Errorf("exit code %d:\n%q", code, said[max(0, len(said)-2000):])
		}
	}
}
