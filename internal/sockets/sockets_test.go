package sockets

import (
	"io"
	"net"
	"testing"
)

func TestInUse(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // the test is over
	if _, err := new(net.ListenConfig).Listen(t.Context(), "tcp", l.Addr().String()); !InUse(err) || Reset(err) {
		t.Errorf("a second listener: %v", err)
	}
}

func TestReset(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // the test is over
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // the test is over
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.(*net.TCPConn).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !Reset(err) || InUse(err) {
		t.Errorf("a connection that was broken off: %v", err)
	}
	if Reset(io.EOF) || Reset(nil) || InUse(nil) {
		t.Error("errors of another kind")
	}
}
