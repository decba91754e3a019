package app

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
)

// Agree returns nil when what was said before may be done: --yes was given, or
// somebody at a terminal says so.
func (a *App) Agree(cmd *cobra.Command, yes bool, question string) error {
	if yes {
		return nil
	}
	in := cmd.InOrStdin()
	if !Asks(in) {
		return cli.Usagef("%s Nothing was changed: without a terminal this needs --yes", question)
	}
	if ok, err := a.Ask(in, question); err != nil || ok {
		return err
	}
	a.Printf("nothing was changed")
	return cli.ErrReported
}

// Asks reports whether somebody can answer.
func Asks(in io.Reader) bool {
	w, ok := in.(io.Writer)
	return ok && term.IsTerminal(w)
}

// Ask puts a question and reports whether the answer was yes.
func (a *App) Ask(in io.Reader, question string) (bool, error) {
	_, _ = fmt.Fprintf(a.Err, "%s: %s [y/N] ", a.Consumer, question)
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && err != io.EOF {
		return false, err
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes", nil
}
