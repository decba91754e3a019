package app

import (
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
	return cli.Usagef("unknown command %q%s", cmd.Name()+" "+args[0], cli.Suggest(args[0], names))
}
