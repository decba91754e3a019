package main

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal of some columns and 24 lines: what is written to program is
// read from person, and the other way round. Both are closed with the test.
func terminal(t testing.TB, columns int) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	raw, err := person.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	if ctl := raw.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err != nil {
			return
		}
		if number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err != nil {
			return
		}
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}); ctl != nil || err != nil {
		t.Fatal(ctl, err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}
