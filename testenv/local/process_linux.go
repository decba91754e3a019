package local

import "syscall"

// dieWithParent puts a child into a group of its own, out of reach of a
// terminal's Ctrl-C, and has the kernel kill it when this process ends in
// whatever way.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
