//go:build unix && !linux

package local

import "syscall"

// dieWithParent leaves a child in the group of its parent's terminal: only
// Linux can tie its life to this process.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitStop waits for nothing: only Linux tells when a child has stopped.
func awaitStop(int) error { return nil }
