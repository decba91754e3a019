package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/credence-stream/credence/cmd/consumer/app"
	consumer "github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	producer "github.com/credence-stream/credence/cmd/producer/commands"
	"github.com/credence-stream/credence/models"
)

func quiet(names cli.Names) *app.App {
	return &app.App{Names: names, Out: io.Discard, Err: io.Discard, Kinds: models.Kinds()}
}

// below lists the words of the commands below one and their aliases.
func below(cmd *cobra.Command) (words []string) {
	for _, c := range cmd.Commands() {
		words = append(words, c.Name())
		words = append(words, c.Aliases...)
	}
	return words
}

// Every command of the two programs is there, under its name, and no name is there twice.
func TestCredenceHasAllCommands(t *testing.T) {
	got := below(root(quiet(cli.Together())))
	apart := quiet(cli.Apart())
	want := below(consumer.Root(apart))
	for _, c := range producer.New(apart.Names, io.Discard, io.Discard).Commands() {
		want = append(append(want, c.Name()), c.Aliases...)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("commands %q, want %q", got, want)
	}
	if twice := slices.Compact(slices.Clone(got)); len(twice) != len(got) {
		t.Errorf("a name is there twice: %q", got)
	}
}

// Each of the two programs knows the commands of the other.
func TestProgramsKnowEachOther(t *testing.T) {
	apart, sending := quiet(cli.Apart()), new(cobra.Command)
	sending.AddCommand(producer.New(apart.Names, io.Discard, io.Discard).Commands()...)
	for _, p := range []struct {
		root  *cobra.Command
		known []string
	}{{consumer.Root(apart), cli.ConsumerCommands}, {sending, cli.ProducerCommands}} {
		var got []string
		for _, c := range p.root.Commands() {
			if name := c.Name(); name != "completion" && name != "help" && name != "version" { // of every program
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, p.known) {
			t.Errorf("a program has the commands %q, the other knows %q", got, p.known)
		}
	}
}

// What help says is what one can type: no text names a command of the other programs.
func TestCredenceSpeaksOfItself(t *testing.T) {
	r := root(quiet(cli.Together()))
	other := regexp.MustCompile(`\b(?:consumer|producer) (?:` + strings.Join(below(r), "|") + `)\b`)
	texts := 0
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		all := []string{c.UseLine(), c.Short, c.Long, c.Example}
		c.Flags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Usage) })
		for _, text := range all {
			texts++
			if found := other.FindString(text); found != "" {
				t.Errorf("%s says %q", c.CommandPath(), found)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(r)
	if texts < 200 || !strings.Contains(r.Long, "credence demo") {
		t.Errorf("%d texts, the first: %s", texts, r.Long)
	}
}

func TestReferenceOfCommands(t *testing.T) {
	clitest.CheckPage(t, "../../docs/reference/credence.md", page(root(quiet(cli.Together()))))
}

// page lists the commands with links to the pages of the two programs.
func page(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# credence: its commands\n\nMade from the program by `make reference`.\n\n" + root.Long + "\n\n| command | meaning | as |\n| --- | --- | --- |\n")
	var sent []string
	for _, c := range producer.New(cli.Apart(), io.Discard, io.Discard).Commands() {
		sent = append(sent, c.Name())
	}
	for _, c := range root.Commands() {
		if c.Name() == "help" || c.Hidden {
			continue
		}
		program := "consumer"
		if slices.Contains(sent, c.Name()) {
			program = "producer"
		}
		b.WriteString("| `credence " + c.Name() + "` | " + c.Short + " | [" + program + " " + c.Name() + "](" + program + ".md#" + program + "-" + c.Name() + ") |\n")
	}
	return b.String()
}
