package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// NoArguments refuses what is neither a flag nor the value of one, and says which flag
// takes a file where the command has not got the one that it needs.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		if flag := missingFile(cmd); flag != "" {
			return fmt.Errorf("unexpected argument %q: a file is given as --%s %[1]s", args[0], flag)
		}
	}
	return fmt.Errorf("unexpected argument %q", args[0])
}

// missingFile returns the first flag that must name a file and is not there, or else the one of
// the rows to read.
func missingFile(cmd *cobra.Command) (flag string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		if flag == "" && !f.Changed && value == "FILE" && strings.Contains(usage, "(required)") {
			flag = f.Name
		}
	})
	if input := cmd.Flags().Lookup("input"); flag == "" && input != nil && !input.Changed {
		return input.Name
	}
	return flag
}

// NeedsCommand refuses words that are none of the commands below.
func NeedsCommand(cmd *cobra.Command, args []string) error { return NeedsCommandOr("")(cmd, args) }

// NeedsCommandOr refuses them too, and says of which commands of another program, or below
// those of this one, they are the names.
func NeedsCommandOr(other string, theirs ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		_, path, _ := strings.Cut(cmd.CommandPath()+" "+args[0], " ")
		meant := under(cmd, args[0])
		if slices.Contains(theirs, args[0]) {
			meant = slices.Insert(meant, 0, Command(other)+" "+args[0])
		}
		if len(meant) > 0 {
			return Usagef("unknown command %q, did you mean %s?", path, strings.Join(meant, " or "))
		}
		return Usagef("unknown command %q%s", path, Suggest(args[0], names))
	}
}

// under returns the commands of a name below those below a command, as they are typed.
func under(cmd *cobra.Command, name string) []string {
	var all []string
	for _, c := range cmd.Commands() {
		for _, d := range c.Commands() {
			if d.Name() == name {
				all = append(all, d.CommandPath())
			}
		}
	}
	return all
}

// Help is what a command does that only stands for those below it.
func Help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// AddHelp adds to a root cobra's command of help, which is one of a group if that is named. It refuses
// words that no command has as that command would, in place of the help of what is above it.
func AddHelp(root *cobra.Command, group string) {
	root.SetHelpCommandGroupID(group)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = known
		}
	}
}

// known refuses words that are not the path of a command.
func known(help *cobra.Command, args []string) error {
	at, rest, err := help.Root().Find(args)
	switch {
	case err != nil:
		return Usagef("%w", err)
	case len(rest) > 0 && at.Args != nil && at.HasSubCommands():
		return at.Args(at, rest)
	}
	return NoArguments(at, rest)
}

// AddCompletion adds to a root, whose other commands are there, cobra's command that writes
// completion scripts, in a group of its help if one is named. It refuses words that mean
// nothing as they do.
func AddCompletion(root *cobra.Command, group string) {
	root.SetCompletionCommandGroupID(group)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "Write the completion script of a shell: bash, zsh, fish or powershell"
		var shells []string
		for _, shell := range c.Commands() {
			shell.Args = NoArguments
			shells = append(shells, shell.Name())
		}
		c.Args = func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Usagef("unknown shell %q%s", args[0], Suggest(args[0], shells))
			}
			return nil
		}
		c.RunE = Help
	}
}
