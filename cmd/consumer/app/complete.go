package app

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
)

// Offer has a flag completed with some words.
func Offer(cmd *cobra.Command, flag string, words ...string) {
	// It fails only for a name that is no flag.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteSet offers the keys of the configuration, those of each of its
// models included.
func (f *Flags) CompleteSet(a *App) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		models := 1
		if c, _, err := config.Load(config.Source{Kinds: a.Kinds, File: f.File}); err == nil {
			models = len(c.Models)
		}
		var names []string
		visit := func(path string) {
			if strings.HasPrefix(path+"=", word) && !strings.HasSuffix(path, ".settings") { // a mapping, not one value
				names = append(names, path+"=")
			}
		}
		config.Settable(reflect.ValueOf(config.Default()).Elem(), "", visit)
		for i := range models {
			config.Settable(reflect.ValueOf(new(config.Model)).Elem(), fmt.Sprintf("models.%d", i), visit)
		}
		return names, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteKey offers the keys in the checkpoint store that go on as the word
// does. Whatever goes wrong, it offers none and says nothing: an error in the
// middle of a command line helps nobody.
func (f *Flags) CompleteKey(a *App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || f.File == "" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completing)
		defer cancel()
		keys, err := f.keys(ctx, a, word)
		if err != nil {
			keys = nil
		}
		return keys, cobra.ShellCompDirectiveNoFileComp
	}
}

// keys returns the first keys of the store with a prefix, in byte order,
// without those that a command line can't show.
func (f *Flags) keys(ctx context.Context, a *App, prefix string) ([]string, error) {
	c, _, err := config.Load(a.Source(f))
	if err != nil {
		return nil, err
	}
	conn, err := connect.Dial(c)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.OpenStore(ctx, c); err != nil {
		return nil, err
	}
	all, err := conn.Lookup.FirstKeys(ctx, prefix, completed)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(key string) bool {
		return strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) })
	}), nil
}

const (
	// completing is how long someone who pressed Tab waits for keys.
	completing = time.Second
	// completed is how many keys are offered, more than a screen shows.
	completed = 100
)
