package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"

	"github.com/credence-stream/credence/internal/access"
)

// login is the mechanism with the password that is in its file when a connection is made. It
// does not send one that was refused too often.
type login struct {
	settings SASL
	tries    *access.Tries
}

// Name implements sasl.Mechanism.
func (l *login) Name() string {
	m, err := l.settings.with("")
	if err != nil {
		return l.settings.Mechanism
	}
	return m.Name()
}

// Start implements sasl.Mechanism.
func (l *login) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	m, password, err := l.read()
	if err != nil {
		return nil, nil, err
	}
	done, err := l.tries.Begin(ctx, password)
	if err != nil {
		return nil, nil, fmt.Errorf("user %s: %w; correct kafka.sasl", l.settings.Username, err)
	}
	session, first, err := m.Start(ctx)
	if err != nil {
		done(false, false)
		return nil, nil, err
	}
	a := &attempt{StateMachine: session, done: done}
	context.AfterFunc(ctx, func() { a.end(false, false) }) // a dial that ends in another way is no answer
	return a, first, nil
}

// attempt is one authentication.
type attempt struct {
	sasl.StateMachine
	once sync.Once
	done func(taken, refused bool)
}

// Next implements sasl.StateMachine.
func (a *attempt) Next(ctx context.Context, challenge []byte) (bool, []byte, error) {
	done, answer, err := a.StateMachine.Next(ctx, challenge)
	switch {
	case done && err == nil:
		a.end(true, false)
	case err != nil:
		a.end(false, bytes.HasPrefix(challenge, []byte("e="))) // SCRAM's own refusal
	}
	return done, answer, err
}

func (a *attempt) end(taken, refused bool) { a.once.Do(func() { a.done(taken, refused) }) }

// answered counts the error that a broker answered an attempt with, where it is a refusal. Only
// an answer is one: a broker that hangs up is away. Those that refused by hanging up are older than
// what is spoken here, in which the answer has an error (KIP-152, Apache Kafka 1.0).
func answered(session sasl.StateMachine, err error) {
	if a, ok := session.(*attempt); ok {
		a.end(false, errors.Is(err, kafka.SASLAuthenticationFailed))
	}
}

// Exhausted is closed when the brokers have refused the password access.MostTries times: it is
// not sent to them again. Nil, which never is, without a password.
func (c *Client) Exhausted() <-chan struct{} {
	if c.tries == nil {
		return nil
	}
	return c.tries.Exhausted()
}

// read returns the mechanism, and the password that it sends.
func (l *login) read() (sasl.Mechanism, string, error) {
	s := l.settings
	if s.Username == "" || s.PasswordFile == "" {
		return nil, "", fmt.Errorf("%s needs a user name and a password file", s.Mechanism)
	}
	password, err := access.Password(s.PasswordFile)
	if err != nil {
		return nil, "", err
	}
	m, err := s.with(password)
	return m, password, err
}
