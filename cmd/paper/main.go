// Command paper repeats the experiments of the C-DF paper (arXiv:1401.3632)
// and shows its figures beside ours, so that anyone can check its claims and
// those of this project.
package main

import (
	"os"

	"github.com/credence-stream/credence/cmd/internal/cli"
)

func main() {
	p := program{Program: cli.Program{Stdout: os.Stdout, Stderr: os.Stderr}}
	cli.Main(p.run)
}
