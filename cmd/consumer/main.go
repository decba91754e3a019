// Command consumer folds a Kafka topic of data shards into Bayesian models,
// one per record key, and publishes their posteriors.
package main

import (
	"context"
	"os"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models"
)

func main() {
	a := &app.App{Names: cli.Apart(), Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Kinds: models.Kinds()}
	cli.Main(func(ctx context.Context, args []string) int { return commands.Run(ctx, a, args) })
}
