// Command producer sends shards to a Kafka topic: the rows of a file, or data
// drawn from a model.
package main

import (
	"os"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/producer/commands"
)

func main() { cli.Main(commands.New(cli.Apart(), os.Stdout, os.Stderr).Run) }
