// Command release builds what a release consists of: static binaries of
// consumer and producer for every system, an archive and a Python wheel for each
// system, a bill of materials for each binary, and the checksums of all of it. The same
// commit and the same Go give the same bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

// targets are the systems that are released, as GOOS/GOARCH.
const targets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("out", "dist", "folder to write to")
	list := flag.String("targets", targets, "systems, as GOOS/GOARCH")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, ".", *out, strings.Split(*list, ","))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
