// Command consumer folds a Kafka topic of data shards into Bayesian models,
// one per record key, and publishes their posteriors.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := &app.App{Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Kinds: models.Kinds()}
	code := execute(ctx, a, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, a *app.App, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, cli.ErrReported) && !errors.Is(err, cli.ErrMismatch) {
		a.Printf("%v", err)
	}
	code := cli.ExitCode(err)
	if code == 2 {
		a.Printf("see consumer help")
	}
	return code
}
