// Command producer sends shards to a Kafka topic: the rows of a file, or data
// drawn from a model.
package main

import (
	"os"

	"github.com/credence-stream/credence/cmd/internal/cli"
)

func main() {
	p := program{Program: cli.Program{Stdout: os.Stdout, Stderr: os.Stderr}, dial: dial, encode: encode}
	cli.Main(p.run)
}
