package kafka

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
)

// hangingUp is the address of a server that passes on as many answers of a broker on each connection, and then hangs up.
func hangingUp(t *testing.T, broker string, answers int) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	pass := func(from, to net.Conn) bool {
		size := make([]byte, 4)
		if _, err := io.ReadFull(from, size); err != nil {
			return false
		}
		frame := make([]byte, binary.BigEndian.Uint32(size))
		if _, err := io.ReadFull(from, frame); err != nil {
			return false
		}
		_, err := to.Write(append(size, frame...))
		return err == nil
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", broker)
			if err != nil {
				_ = client.Close()
				return
			}
			for range answers {
				if !pass(client, server) || !pass(server, client) {
					break
				}
			}
			_, _ = client.Read(make([]byte, 1<<10)) // what is not answered
			_, _ = client.Close(), server.Close()
		}
	}()
	return l.Addr().String()
}

// A listener of TLS hangs up at the first request that is not encrypted, one of SASL at the first of nobody: the error says what to compare.
func TestBrokerThatHangsUp(t *testing.T) {
	b := fake(t)
	for answers := range 2 {
		c := connect(t, []string{hangingUp(t, b.ListenAddrs()[0], answers)})
		_, err := c.ClusterID(t.Context())
		if err == nil || !strings.Contains(err.Error(), compareListener) {
			t.Errorf("after %d answers: %v", answers, err)
		}
	}
}

// TestBrokerThatIsNotThere: the error of an address at which nobody listens says what to do, in commands of one question and in those of groups.
func TestBrokerThatIsNotThere(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c := connect(t, []string{gone})
	_, err = c.ClusterID(t.Context())
	_, errGroup := c.Members(t.Context(), "g")
	for _, err := range []error{err, errGroup} {
		if err == nil || !strings.Contains(err.Error(), gone) || strings.Count(err.Error(), startKafka) != 1 {
			t.Errorf("%v", err)
		}
	}
}
