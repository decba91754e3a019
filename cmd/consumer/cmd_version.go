package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/version"
)

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Say which build this is",
		GroupID: groupCare,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			info := version.Get()
			if asJSON {
				return json.NewEncoder(a.out).Encode(info)
			}
			_, err := fmt.Fprintf(a.out, "consumer %s\n", info)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
