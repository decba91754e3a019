package run

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// readyWithin is how long the command ready waits for an answer.
const readyWithin = 5 * time.Second

// ReadyCommand returns the command ready, the health check of an image that has no other
// program: no shell and no curl.
func ReadyCommand(a *app.App) *cobra.Command {
	var f app.Flags
	var url string
	cmd := &cobra.Command{
		Use:   "ready [--config FILE | --url URL]",
		Short: "Tell whether a running consumer is ready, for health checks",
		Long: `ready asks /readyz of the consumer that runs under the configuration, on this machine, or of
the one at a URL. The exit code is 0 if every partition makes progress, and 1 with the reasons if
not, or if nothing answers within 5 s.`,
		GroupID: app.GroupCare,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (url == "") == (f.File == "") {
				return cli.Usagef("one of --config FILE and --url URL is needed")
			}
			if url != "" {
				return askReady(cmd.Context(), a.Out, http.DefaultTransport, strings.TrimSuffix(url, "/"))
			}
			c, _, err := config.Load(a.Source(&f))
			if err != nil {
				return err
			}
			at, err := ownURL(c.HTTP)
			if err != nil {
				return err
			}
			return askReady(cmd.Context(), a.Out, ownTransport(), at)
		},
	}
	f.Add(a, cmd)
	cmd.Flags().StringVar(&url, "url", "", "`URL` of the consumer, such as http://127.0.0.1:8080")
	return cmd
}

// ownURL is where a consumer is reached from its own machine.
func ownURL(c config.HTTP) (string, error) {
	listen := c.Listen
	if listen == "" {
		return "", fmt.Errorf("http.listen is empty: this consumer answers no requests; give it an address")
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("http.listen: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	scheme := "http://"
	if c.TLS.CertFile != "" {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port), nil
}

// ownTransport takes any certificate, as the probes of Kubernetes do: it is made for the name by which others come,
// and nothing is sent that would have to be kept from a stranger.
func ownTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}
	return t
}

func askReady(ctx context.Context, out io.Writer, transport http.RoundTripper, at string) error {
	url := at + "/readyz"
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	answer, err := (&http.Client{Transport: transport}).Do(q)
	if err != nil {
		return fmt.Errorf("%w: is it running, and is this the address of its http.listen?", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it is read or given up
	var health struct {
		Status  string
		Reasons []string
	}
	switch err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&health); {
	case err != nil || health.Status == "":
		return fmt.Errorf("%s answers %s, which is no consumer's: another program listens there", url, answer.Status)
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", health.Status, strings.Join(health.Reasons, "; "))
	}
	_, err = fmt.Fprintln(out, health.Status)
	return err
}
