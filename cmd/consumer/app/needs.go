package app

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
)

// NeedsCommand refuses words that are none of the commands below.
func NeedsCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	_, path, _ := strings.Cut(cmd.CommandPath()+" "+args[0], " ")
	return cli.Usagef("unknown command %q%s", path, cli.Suggest(args[0], names))
}

// Help is what a command does that only stands for those below it.
func Help(cmd *cobra.Command, _ []string) error { return cmd.Help() }
