//go:build !windows

package sockets

import "syscall"

const (
	inUse = syscall.EADDRINUSE
	reset = syscall.ECONNRESET
)
