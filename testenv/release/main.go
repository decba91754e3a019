// Command release builds what a release consists of: a static binary for every system,
// which is credence, consumer or producer by the name that it is called by, an archive, a
// Python wheel and a bill of materials for each, a Homebrew formula that installs the
// archives, a container image, and the checksums of all of it. The same commit and the same
// Go give the same bytes. With -root it makes what is in the image around a program, for
// an engine to build by the Dockerfile.
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
	tree := flag.String("root", "", "only write the files of an image into this folder, which must not hold anything yet")
	program := flag.String("program", "", "with -root: the program that the image is made around")
	version := flag.String("version", "devel", "with -root: what the program is a build of")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if *tree != "" {
		err = writeRoot(ctx, ".", *tree, *program, *version)
	} else {
		err = run(ctx, ".", *out, strings.Split(*list, ","))
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
