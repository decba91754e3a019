package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/pipeline"
)

const (
	// completing is how long someone who pressed Tab waits for keys.
	completing = time.Second
	// completed is how many keys are offered, more than a screen shows.
	completed = 100
)

// completionCommand puts cobra's command that writes completion scripts among
// the others, and has it refuse words that mean nothing as they do.
func completionCommand(root *cobra.Command) {
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetCompletionCommandGroupID(groupCare)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "Write the completion script of a shell: bash, zsh, fish or powershell"
		var shells []string
		for _, shell := range c.Commands() {
			shell.Args = noArgs
			shells = append(shells, shell.Name())
		}
		c.Args = func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown shell %q%s", args[0], suggest(args[0], shells))
			}
			return nil
		}
		c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}

// offer has a flag completed with some words.
func offer(cmd *cobra.Command, flag string, words ...string) {
	// It fails only for a name that is no flag.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeSet offers the keys of the configuration, those of each of its
// models included.
func (f *configFlags) completeSet(a *app) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		models := 1
		if c, _, err := loadConfig(source{kinds: a.kinds, file: f.file}); err == nil {
			models = len(c.Models)
		}
		var names []string
		visit := func(path string) {
			if strings.HasPrefix(path+"=", word) && !strings.HasSuffix(path, ".settings") { // a mapping, not one value
				names = append(names, path+"=")
			}
		}
		settable(reflect.ValueOf(defaultConfig()).Elem(), "", visit)
		for i := range models {
			settable(reflect.ValueOf(new(modelConfig)).Elem(), fmt.Sprintf("models.%d", i), visit)
		}
		return names, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// completeKey offers the keys in the checkpoint store that go on as the word
// does. Whatever goes wrong, it offers none and says nothing: an error in the
// middle of a command line helps nobody.
func (f *configFlags) completeKey(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || f.file == "" {
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
func (f *configFlags) keys(ctx context.Context, a *app, prefix string) ([]string, error) {
	c, _, err := loadConfig(a.source(f))
	if err != nil {
		return nil, err
	}
	conn, err := dial(c)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	if err := conn.openStore(ctx, c); err != nil {
		return nil, err
	}
	n, err := conn.lookup.partitions(ctx)
	if err != nil {
		return nil, err
	}
	var all []string
	for id := range int32(n) {
		some, err := conn.store.Keys(ctx, pipeline.Partition{Topic: c.Kafka.Input, ID: id}, prefix, "", completed)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	all = slices.DeleteFunc(all, func(key string) bool {
		return strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) })
	})
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), completed)], nil
}
