package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/version"
	"github.com/credence-stream/credence/models/kind"
)

// app is what commands share: data goes to out, messages go to err.
type app struct {
	out, err io.Writer
	env      []string      // as of os.Environ
	kinds    kind.Registry // of models
}

const (
	groupFirst = "first"
	groupWork  = "work"
	groupCare  = "care"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "consumer",
		Short: "Bayesian models over a Kafka topic, one per key, exactly once",
		Long: `consumer folds a Kafka topic of data shards into Bayesian models, one per
record key, and publishes a posterior summary after every shard.

Start with: consumer demo`,
		Version:       version.Get().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return usagef("unknown command %q%s", args[0], suggest(args[0], names))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.SetVersionTemplate("consumer {{.Version}}\n")
	root.AddGroup(
		&cobra.Group{ID: groupFirst, Title: "See it work, with nothing installed:"},
		&cobra.Group{ID: groupWork, Title: "Work:"},
		&cobra.Group{ID: groupCare, Title: "Look after:"},
	)
	root.SetHelpCommandGroupID(groupCare)
	root.AddCommand(a.demoCommand(), a.runCommand(), a.tailCommand(), a.getCommand(), a.checkCommand(), a.versionCommand())
	root.AddCommand(a.initCommand())
	completionCommand(root)
	root.AddCommand(a.dlqCommand())
	root.AddCommand(a.verifyCommand())
	root.AddCommand(a.stateCommand())
	return root
}

// configFlags are the flags of every command that reads a configuration.
type configFlags struct {
	file string
	sets []string
}

func (f *configFlags) add(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "config", "", "configuration `FILE` (required)")
	cmd.Flags().StringArrayVar(&f.sets, "set", nil, "override a key, as in kafka.group=x; lists by comma; may be repeated")
	// These fail only for names that are no flags.
	_ = cmd.MarkFlagFilename("config", "yaml", "yml")
	_ = cmd.RegisterFlagCompletionFunc("set", f.completeSet(a))
}

// source says where the flags find the configuration.
func (a *app) source(f *configFlags) source {
	return source{kinds: a.kinds, file: f.file, env: a.env, sets: f.sets}
}

// load reads the configuration and passes its warnings on.
func (a *app) load(f *configFlags) (*config, error) {
	if f.file == "" {
		return nil, usagef("--config FILE is missing")
	}
	c, warnings, err := loadConfig(a.source(f))
	for _, w := range warnings {
		a.printf("warning: %s", w)
	}
	return c, err
}

// connect reads the configuration for a command that talks to Kafka. The
// caller closes the connection.
func (a *app) connect(f *configFlags) (*config, *connection, error) {
	c, err := a.load(f)
	if err != nil {
		return nil, nil, err
	}
	conn, err := dial(c)
	return c, conn, err
}

// printf tells the user something that is not data.
func (a *app) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(a.err, "consumer: "+format+"\n", args...)
}

// noArgs and oneArg check the words after the flags.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q", args[0])
	}
	return nil
}

func oneArg(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 || args[0] == "":
			return usagef("%s is missing", name)
		case len(args) > 1:
			return usagef("unexpected argument %q after %s %q", args[1], name, args[0])
		}
		return nil
	}
}
