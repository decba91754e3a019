package kafka

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"

	"github.com/credence-stream/credence/internal/access"
)

// Options say how to reach a Kafka cluster.
type Options struct {
	Brokers  []string // host:port, at least one
	ClientID string   // shown in the brokers' logs and quotas; default "credence"
	TLS      TLS
	SASL     SASL
	// Begin, when not nil, is told that a request begins, and what it returns that it is
	// over: its name (Requests, or another one) and its error.
	Begin func() (end func(request string, err error))
}

// Requests are the names of the requests that a consumer makes all the time, and of what
// comes before them: to connect, and to authenticate.
func Requests() []string { return []string{connecting, "fetch", "produce", "metadata", "listoffsets"} }

const connecting = "connect"

// TLS holds the settings of encrypted connections.
type TLS access.TLS

// SASL holds the settings of authentication.
type SASL struct {
	Mechanism    string // "", "plain", "scram-sha-256" or "scram-sha-512"
	Username     string
	PasswordFile string // its trailing line break is not part of the password
}

// prepared are options whose files were read.
type prepared struct {
	brokers  []string
	clientID string
	tls      *tls.Config    // nil: plain text
	sasl     sasl.Mechanism // nil: none
	tries    *access.Tries  // of the password
}

func (o Options) prepare() (prepared, error) {
	p := prepared{brokers: o.Brokers, clientID: o.ClientID}
	if p.clientID == "" {
		p.clientID = "credence"
	}
	if len(o.Brokers) == 0 {
		return p, errors.New("no broker address")
	}
	for _, b := range o.Brokers {
		if host, port, err := net.SplitHostPort(b); err != nil || host == "" || port == "" {
			return p, fmt.Errorf("broker address %q is not host:port", b)
		}
	}
	var err error
	if p.tls, err = access.TLS(o.TLS).Config(); err != nil {
		return p, fmt.Errorf("tls: %w", err)
	}
	if o.SASL.Mechanism == "" {
		return p, nil
	}
	p.tries = access.NewTries()
	m := &login{settings: o.SASL, tries: p.tries}
	if _, _, err = m.read(); err != nil {
		return p, fmt.Errorf("sasl: %w", err)
	}
	p.sasl = m
	return p, nil
}

// with returns the mechanism with a password.
func (s SASL) with(password string) (sasl.Mechanism, error) {
	switch s.Mechanism {
	case "plain":
		return plain.Mechanism{Username: s.Username, Password: password}, nil
	case "scram-sha-256":
		return scram.Mechanism(scram.SHA256, s.Username, password)
	case "scram-sha-512":
		return scram.Mechanism(scram.SHA512, s.Username, password)
	}
	return nil, fmt.Errorf("unknown mechanism %q (plain, scram-sha-256, scram-sha-512)", s.Mechanism)
}
