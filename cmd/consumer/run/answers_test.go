package run

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/show"
	"github.com/credence-stream/credence/cmd/consumer/state"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models"
)

// Commands mean in a shell what they are meant to mean, whatever the key is.
func TestCommandsAreQuoted(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	c := &config.Config{File: "my config's.yaml"}
	for _, key := range []string{"a", "flights/ATL", "it's", "$(reboot)", "`x`", "a b\tc", "-k", "--", "\"", "\\", "*", "ü\n!", "~", "a;b|c&d", "#x"} {
		for name, line := range commandsOf(cli.Apart(), c).Key(key) {
			out, err := exec.CommandContext(t.Context(), shell, "-c", "consumer() { printf '%s\\0' \"$@\"; }\n"+line).Output()
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
			if !slices.Contains(words, key) && !slices.Contains(words, "--key="+key) || !slices.Contains(words, c.File) || words[0] != name {
				t.Errorf("key %q: %s becomes %q", key, line, words)
			}
			// The program takes the key for the key.
			a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: new(strings.Builder), Err: new(strings.Builder)}
			root := &cobra.Command{}
			root.AddCommand(show.GetCommand(a), show.TailCommand(a), state.VerifyCommand(a))
			cmd, flags, err := root.Find(words)
			if err != nil || cmd.ParseFlags(flags) != nil || cmd.Flag("config").Value.String() != c.File {
				t.Errorf("key %q: the program does not take %q: %v", key, words, err)
			}
		}
	}
	for name, line := range commandsOf(cli.Apart(), c).DeadLetters() {
		if want := "consumer dead-letters " + name + ` --config 'my config'\''s.yaml'`; line != want {
			t.Errorf("%s, want %s", line, want)
		}
	}
}
