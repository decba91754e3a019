package sockets

import "syscall"

const (
	inUse = syscall.Errno(10048) // WSAEADDRINUSE
	reset = syscall.WSAECONNRESET
)
