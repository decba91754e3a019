package run

import (
	"context"
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
			at := strings.TrimSuffix(url, "/")
			if at == "" {
				c, _, err := config.Load(a.Source(&f))
				if err != nil {
					return err
				}
				if at, err = ownURL(c.HTTP.Listen); err != nil {
					return err
				}
			}
			return askReady(cmd.Context(), a.Out, at+"/readyz")
		},
	}
	f.Add(a, cmd)
	cmd.Flags().StringVar(&url, "url", "", "`URL` of the consumer, such as http://127.0.0.1:8080")
	return cmd
}

// ownURL is where a consumer that listens at an address is reached from its own machine.
func ownURL(listen string) (string, error) {
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
	return "http://" + net.JoinHostPort(host, port), nil
}

func askReady(ctx context.Context, out io.Writer, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	answer, err := http.DefaultClient.Do(q)
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
