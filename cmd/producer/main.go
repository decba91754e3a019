// Command producer sends shards to a Kafka topic: the rows of a file, or data
// drawn from a model.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the work in order, a second one ends the process.
	context.AfterFunc(ctx, stop)
	p := program{stdout: os.Stdout, stderr: os.Stderr, dial: dial, encode: encode}
	os.Exit(p.run(ctx, os.Args[1:]))
}
