package local

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent puts a child into a group of its own, out of reach of a
// terminal's Ctrl-C, and has the kernel kill it when this process ends in
// whatever way.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitStop returns when all threads of a child have stopped: on a busy machine
// some go on for a while after the signal.
func awaitStop(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
