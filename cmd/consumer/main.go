// Command consumer folds a Kafka topic of data shards into Bayesian models,
// one per record key, and publishes their posteriors.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/credence-stream/credence/models"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := &app{out: os.Stdout, err: os.Stderr, env: os.Environ(), kinds: models.Kinds()}
	code := a.execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs the command line and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, errReported) && !errors.Is(err, errMismatch) {
		a.printf("%v", err)
	}
	code := exitCode(err)
	if code == 2 {
		a.printf("see consumer help")
	}
	return code
}
