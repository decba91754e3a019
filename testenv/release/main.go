// Command release builds what a release consists of: a static binary for every system,
// which is credence, consumer or producer by the name that it is called by, an archive, a
// Python wheel and a bill of materials for each, a Homebrew formula that installs the
// archives, and the checksums of all of it. The same commit and the same Go give the same
// bytes.
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
	of := flag.String("notices", "", "only print the licences of what this binary has in it")
	list := flag.String("targets", targets, "systems, as GOOS/GOARCH")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if *of != "" {
		var text []byte
		if text, err = notices(ctx, ".", *of); err == nil {
			_, err = os.Stdout.Write(text)
		}
	} else {
		err = run(ctx, ".", *out, strings.Split(*list, ","))
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
