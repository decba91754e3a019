// Package sockets tells errors of sockets apart. Windows has numbers of its own for
// them; those of the same names in package syscall never occur there.
package sockets

import "errors"

// InUse tells whether another program listens at an address.
func InUse(err error) bool { return errors.Is(err, inUse) }

// Reset tells whether the other side broke a connection off.
func Reset(err error) bool { return errors.Is(err, reset) }
