package access

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/credence-stream/credence/internal/sockets"
)

// handshakeTime is less than what waits for a connection: who waits in vain is told for what.
const handshakeTime = 8 * time.Second

// Dialer makes connections with what the files of a TLS hold by then. It is safe for
// concurrent use.
type Dialer struct {
	// Net makes the connections below; it may be set before the first one.
	Net net.Dialer
	// Unreachable says what to do where no connection comes about; it may be set before the first one.
	Unreachable string

	keys  Keys
	files *Reread[*tls.Config] // of nil: not encrypted
}

// Dialer reads the files and connects to nothing. Tell, where not nil, is told once of each
// change that cannot be used; what was read before stays in use.
func (t TLS) Dialer(k Keys, tell func(error)) (*Dialer, error) {
	files, err := NewReread(t.Files(), func() (*tls.Config, error) { return t.Config(k) }, tell)
	if err != nil {
		return nil, err
	}
	return &Dialer{keys: k, files: files}, nil
}

// Dial connects to host:port and, where connections are encrypted, shakes hands. The error of
// two sides that do not trust each other names the address and the key of the configuration.
func (d *Dialer) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.Net.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.Net.Timeout)
		defer cancel()
	}
	raw, err := d.Net.DialContext(ctx, network, addr)
	if err != nil {
		return nil, d.unreachable(err)
	}
	c := d.files.Now()
	if c == nil {
		return raw, nil
	}
	if c.ServerName == "" {
		c = c.Clone()
		if c.ServerName, _, err = net.SplitHostPort(addr); err != nil {
			return nil, errors.Join(err, raw.Close())
		}
	}
	s := &secured{tls.Client(raw, c), d.keys, len(c.Certificates) > 0}
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	if err := s.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, fmt.Errorf("%s: %w", addr, s.explain(err))
	}
	return s, nil
}

// unreachable adds what to do to the error of a connection that has not come about, unless its caller gave it up.
func (d *Dialer) unreachable(err error) error {
	if d.Unreachable == "" || errors.Is(err, context.Canceled) {
		return err
	}
	return advised{err, d.Unreachable}
}

// HungUp adds what to compare to the error of a connection on which the server has not answered anything but hung up, as one does that
// is spoken to without the TLS or the login that it wants. Other errors stay as they are.
func HungUp(err error, compare string) error {
	if !hungUp(err) {
		return err
	}
	return advised{err, "the server hangs up before it has answered: if it always does, " + compare}
}

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || sockets.Reset(err)
}

// secured is a connection whose errors say what to do. A server of TLS 1.3 refuses a client's
// certificate no sooner than in its first answer.
type secured struct {
	*tls.Conn
	keys      Keys
	certified bool // a certificate was shown
}

// Read implements net.Conn.
func (s *secured) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	if err != nil && refused(err) {
		err = s.explain(err)
	}
	return n, err
}

func (s *secured) explain(err error) error {
	advice := s.keys.advice(s.certified, err)
	if advice == "" {
		return err
	}
	return advised{err, advice}
}

// advised is an error with what to do. It has no Unwrap, for clients of Redis take off one layer of
// an error.
type advised struct {
	error
	advice string
}

func (a advised) Error() string { return a.error.Error() + "; " + a.advice }

// Advice implements what Advice looks for.
func (a advised) Advice() string { return a.advice }

// Advice splits what an error says into what is wrong and what to do about it; the second is "" of one that does not say.
func Advice(err error) (wrong, remedy string) {
	wrong = err.Error()
	var a interface{ Advice() string }
	if !errors.As(err, &a) {
		return wrong, ""
	}
	remedy = a.Advice()
	return strings.Replace(wrong, "; "+remedy, "", 1), remedy
}

// Is and As look into the error.
func (a advised) Is(target error) bool { return errors.Is(a.error, target) }
func (a advised) As(target any) bool   { return errors.As(a.error, target) }

// advice says what a user can do about two sides that do not trust each other, "" of other
// errors.
func (k Keys) advice(certified bool, err error) string {
	var (
		stranger x509.UnknownAuthorityError
		named    x509.HostnameError
		invalid  x509.CertificateInvalidError
		plain    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &stranger):
		return "put the authority that signed the server's certificate into " + k.CA
	case errors.As(err, &named) && k.Name != "":
		return "give the server's address as its certificate has it, or the name in the certificate as " + k.Name
	case errors.As(err, &named):
		return "give the server's address as its certificate has it"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "renew the server's certificate, or correct this machine's clock"
	case hungUp(err), errors.Is(err, context.DeadlineExceeded):
		return "it does not shake hands: if it never does, give the port that speaks TLS, or leave TLS out"
	case errors.As(err, &plain):
		return "nothing speaks TLS there: give the port that does, or leave TLS out"
	case !refused(err):
		return ""
	case certified:
		return "the server refuses the certificate in " + k.Cert + ": give one of an authority that it trusts"
	}
	return "the server wants a client certificate: give " + k.Cert + " and " + k.Key
}

// refused reports whether the other side ended a connection because of a certificate.
func refused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" && strings.Contains(op.Err.Error(), "certificate")
}
