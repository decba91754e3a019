// Package app is what the commands of consumer share: the flags that name a
// configuration, formats, completion, questions and messages.
package app

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models/kind"
)

// App is what commands share: data goes to out, messages go to err.
type App struct {
	cli.Names
	Out, Err io.Writer
	Env      []string      // as of os.Environ
	Kinds    kind.Registry // of models
}

// Source says where the flags find the configuration.
func (a *App) Source(f *Flags) config.Source {
	return config.Source{Kinds: a.Kinds, File: f.File, Env: a.Env, Sets: f.sets}
}

// Read reads the configuration and returns what it warns of.
func (a *App) Read(f *Flags) (c *config.Config, warnings []string, err error) {
	if f.File == "" {
		return nil, nil, cli.Usagef("--config FILE is missing")
	}
	return config.Load(a.Source(f))
}

// Load reads the configuration and passes its warnings on.
func (a *App) Load(f *Flags) (*config.Config, error) {
	c, warnings, err := a.Read(f)
	for _, w := range warnings {
		a.Printf("warning: %s", w)
	}
	return c, err
}

// Connected reads the configuration for a command that talks to Kafka, and
// calls do with a connection that lives as long.
func (a *App) Connected(f *Flags, do func(*connect.Connection) error) error {
	c, err := a.Load(f)
	if err != nil {
		return err
	}
	conn, err := connect.Dial(c)
	if err != nil {
		return err
	}
	defer conn.Close()
	return do(conn)
}

// Printf tells the user something that is not data.
func (a *App) Printf(format string, args ...any) {
	_, _ = fmt.Fprintf(a.Err, a.Consumer+": "+format+"\n", args...)
}

// Flags are the flags of every command that reads a configuration.
type Flags struct {
	File string
	sets []string
}

// Add adds the flags to a command.
func (f *Flags) Add(a *App, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.File, "config", "", "configuration `FILE` (required)")
	cmd.Flags().StringArrayVar(&f.sets, "set", nil, "override a key, as in kafka.group=x; lists are comma-separated; may be repeated")
	// These fail only for names that are no flags.
	_ = cmd.MarkFlagFilename("config", "yaml", "yml")
	_ = cmd.RegisterFlagCompletionFunc("set", f.CompleteSet(a))
}

// Override sets a key as --set does, after those.
func (f *Flags) Override(key, value string) { f.sets = append(f.sets, key+"="+value) }

// OneArg checks that one word, of the given name, follows the flags.
func OneArg(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 || args[0] == "":
			return cli.Usagef("%s is missing", name)
		case len(args) > 1:
			return cli.Usagef("unexpected argument %q after %s %q", args[1], name, args[0])
		}
		return nil
	}
}

// The groups of commands in the help.
const (
	GroupFirst = "first"
	GroupWork  = "work"
	GroupCare  = "care"
)
