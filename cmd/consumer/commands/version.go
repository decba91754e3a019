package commands

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/version"
)

func versionCommand(a *app.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this build",
		GroupID: app.GroupCare,
		Args:    cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			info := version.Get()
			if asJSON {
				return json.NewEncoder(a.Out).Encode(info)
			}
			_, err := fmt.Fprintf(a.Out, "%s %s\n", a.Consumer, info)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
