package access_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/credence-stream/credence/internal/access"
)

// A server without TLS may hang up, or wait for more, instead of shaking hands: the error says what that may mean.
func TestWithoutAHandshake(t *testing.T) {
	for name, answer := range map[string]func(net.Conn){
		"hangs up": func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) },
		"waits":    func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
	} {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // the client looks
		go func() {
			if c, err := l.Accept(); err == nil {
				answer(c)
				_ = c.Close()
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if _, err = dialer(t, access.TLS{}, nil).Dial(ctx, "tcp", l.Addr().String()); err == nil || !strings.Contains(err.Error(), l.Addr().String()+": ") ||
			!strings.Contains(err.Error(), "it does not shake hands") {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// Of errors of a first exchange only one by which a server hangs up is one of its settings.
func TestHungUp(t *testing.T) {
	for err, want := range map[error]bool{
		io.EOF: true, io.ErrUnexpectedEOF: true, &net.OpError{Op: "read", Err: syscall.ECONNRESET}: true, context.DeadlineExceeded: false, errors.New("NOAUTH"): false,
	} {
		got := access.HungUp(fmt.Errorf("hello: %w", err), "compare the two")
		if !errors.Is(got, err) || strings.HasSuffix(got.Error(), "if it always does, compare the two") != want {
			t.Errorf("%v: %v", err, got)
		}
	}
	if err := access.HungUp(nil, ""); err != nil {
		t.Error(err)
	}
}
