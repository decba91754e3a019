//go:build unix

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// echoOf says in its environment that a process is the program that the test signals, and for how long a signal may come twice.
const echoOf = "CREDENCE_TEST_ECHO"

// TestSignalsThatComeTwice: of two signals at once, as timeout sends them, the second is no impatience: the work ends in order.
// One that comes later ends the process.
func TestSignalsThatComeTwice(t *testing.T) {
	if text := os.Getenv(echoOf); text != "" {
		echo, _ = time.ParseDuration(text)
		Main(func(ctx context.Context, _ []string) int {
			fmt.Println("works")
			<-ctx.Done()
			fmt.Println("ends")
			_, _ = io.Copy(io.Discard, os.Stdin)
			return 7
		})
	}
	for echo, want := range map[string]int{"1h": 7, "0s": -1} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSignalsThatComeTwice$")
		cmd.Env = append(os.Environ(), echoOf+"="+echo)
		in, err := cmd.StdinPipe()
		out, oerr := cmd.StdoutPipe()
		if err := errors.Join(err, oerr, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewReader(out)
		for _, word := range []string{"works\n", "ends\n"} {
			if got, err := said.ReadString('\n'); err != nil || got != word {
				t.Fatalf("%q, %v, want %q", got, err, word)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if want == 7 {
			_ = in.Close()
		}
		for tick, over := time.Tick(time.Millisecond), false; !over; {
			select {
			case <-ended:
				over = true
			case <-tick:
				if want < 0 { // it would wait for its input
					_ = cmd.Process.Signal(syscall.SIGTERM)
				}
			}
		}
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("echo %s: exit code %d, want %d", echo, got, want)
		}
	}
}
