package kafka

import (
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
	// Keys are what the user calls the settings of TLS; default: those of kafka.tls.
	Keys access.Keys
	// OnUnusable, when not nil, is told once of a file of TLS that has changed and cannot be
	// used. What it held before stays in use.
	OnUnusable func(error)
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
	dialer   *access.Dialer
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
	if o.Keys == (access.Keys{}) {
		o.Keys = access.KeysOf("kafka.tls")
	}
	var err error
	if p.dialer, err = access.TLS(o.TLS).Dialer(o.Keys, o.OnUnusable); err != nil {
		return p, err
	}
	p.dialer.Unreachable = startKafka
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
