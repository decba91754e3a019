// Command credence is consumer and producer in one program. The same file under the name
// consumer or producer is that program: installations have it once, under three names.
package main

import (
	"context"
	"io"
	"os"

	"github.com/credence-stream/credence/cmd/consumer/app"
	consumer "github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/internal/cli"
	producer "github.com/credence-stream/credence/cmd/producer/commands"
	"github.com/credence-stream/credence/models"
)

func main() { cli.Main(named(cli.Called(), os.Environ(), os.Stdout, os.Stderr)) }

// named returns the program of a name, which executes one command line and returns the exit
// code.
func named(name string, env []string, stdout, stderr io.Writer) func(context.Context, []string) int {
	a := &app.App{Names: cli.Apart(), Out: stdout, Err: stderr, Env: env, Kinds: models.Kinds()}
	switch name {
	case a.Consumer:
		return func(ctx context.Context, args []string) int { return consumer.Run(ctx, a, args) }
	case a.Producer:
		return producer.New(a.Names, stdout, stderr).Run
	}
	a.Names = cli.Together()
	p := cli.Program{Stdout: stdout, Stderr: stderr}
	return func(ctx context.Context, args []string) int { return p.Run(ctx, root(a), args) }
}
