package main

import (
	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// completionCommand puts cobra's command that writes completion scripts among
// the others, and has it refuse words that mean nothing as they do.
func completionCommand(root *cobra.Command) {
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetCompletionCommandGroupID(app.GroupCare)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "Write the completion script of a shell: bash, zsh, fish or powershell"
		var shells []string
		for _, shell := range c.Commands() {
			shell.Args = app.NoArgs
			shells = append(shells, shell.Name())
		}
		c.Args = func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("unknown shell %q%s", args[0], cli.Suggest(args[0], shells))
			}
			return nil
		}
		c.RunE = app.Help
	}
}
