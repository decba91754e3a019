package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/term"
)

// agree returns nil when what was said before may be done: --yes was given, or
// somebody at a terminal says so.
func (a *app) agree(cmd *cobra.Command, yes bool, question string) error {
	if yes {
		return nil
	}
	in := cmd.InOrStdin()
	if !asks(in) {
		return usagef("%s Nothing was changed: without a terminal to ask it needs --yes", question)
	}
	if ok, err := a.ask(in, question); err != nil || ok {
		return err
	}
	a.printf("nothing was changed")
	return errReported
}

// asks reports whether somebody can answer.
func asks(in io.Reader) bool {
	w, ok := in.(io.Writer)
	return ok && term.IsTerminal(w)
}

func (a *app) ask(in io.Reader, question string) (bool, error) {
	_, _ = fmt.Fprintf(a.err, "consumer: %s [y/N] ", question)
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && err != io.EOF {
		return false, err
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes", nil
}
