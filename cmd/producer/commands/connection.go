package commands

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// broker is a connection to a Kafka cluster.
type broker interface {
	replay.Publisher
	// EnsureTopic makes the topic with so many partitions unless it is there,
	// and reports whether it did. With none it makes nothing, and a missing
	// topic is errNoTopic.
	EnsureTopic(ctx context.Context, topic string, partitions int) (created bool, err error)
	Close() error
}

// errNoTopic reports a topic that is missing and is not to be created.
var errNoTopic = errors.New("no such topic")

// connection says how to reach the brokers; the names are those of the
// consumer's configuration.
type connection struct {
	Brokers []string
	TLS     kafka.TLS
	SASL    kafka.SASL
}

var saslMechanisms = []string{"", "plain", "scram-sha-256", "scram-sha-512"}

func (c *connection) register(f *pflag.FlagSet) {
	f.StringSliceVar(&c.Brokers, "brokers", nil, "Kafka brokers, `HOST:PORT,...` (required)")
	f.BoolVar(&c.TLS.Enabled, "tls", false, "connect with TLS; any other --tls flag implies it")
	f.StringVar(&c.TLS.CAFile, "tls-ca", "", "trust the certificates in `FILE` instead of the system's")
	f.StringVar(&c.TLS.CertFile, "tls-cert", "", "present the certificate in `FILE`")
	f.StringVar(&c.TLS.KeyFile, "tls-key", "", "private key of the certificate, `FILE`")
	f.StringVar(&c.TLS.ServerName, "tls-server-name", "", "expect `NAME` in the broker's certificate")
	f.StringVar(&c.SASL.Mechanism, "sasl-mechanism", "", "plain, scram-sha-256 or scram-sha-512")
	f.StringVar(&c.SASL.Username, "sasl-username", "", "user `NAME`")
	f.StringVar(&c.SASL.PasswordFile, "sasl-password-file", "", "`FILE` with the password")
}

// complete has the shell offer what the flags of a command can be.
func (c *connection) complete(cmd *cobra.Command) {
	// These fail only for names that are no flags.
	_ = cmd.RegisterFlagCompletionFunc("sasl-mechanism", cobra.FixedCompletions(saslMechanisms[1:], cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"topic", "brokers", "run-id"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// check returns what is wrong with the flags.
func (c *connection) check() error {
	if len(c.Brokers) == 0 {
		return errors.New("--brokers needs at least one HOST:PORT")
	}
	for _, b := range c.Brokers {
		if host, port, err := net.SplitHostPort(b); err != nil || host == "" || port == "" {
			return fmt.Errorf("--brokers: %q is not HOST:PORT", b)
		}
	}
	t := &c.TLS
	t.Enabled = t.Enabled || t.CAFile != "" || t.CertFile != "" || t.KeyFile != "" || t.ServerName != ""
	if (t.CertFile == "") != (t.KeyFile == "") {
		return errors.New("--tls-cert and --tls-key go together")
	}
	s := c.SASL
	if !slices.Contains(saslMechanisms, s.Mechanism) {
		return fmt.Errorf("--sasl-mechanism %q: want plain, scram-sha-256 or scram-sha-512", s.Mechanism)
	}
	if complete := s.Username != "" && s.PasswordFile != ""; s.Mechanism != "" && !complete {
		return errors.New("--sasl-mechanism needs --sasl-username and --sasl-password-file")
	}
	if s.Mechanism == "" && (s.Username != "" || s.PasswordFile != "") {
		return errors.New("--sasl-username and --sasl-password-file need --sasl-mechanism")
	}
	return nil
}
