package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestNear(t *testing.T) {
	names := []string{"ATL", "Usage", "USA", "usb", "USC/north", "Österreich", "xyz"}
	for word, want := range map[string][]string{
		"Usa": {"USA", "usb", "Usage"}, "usc": {"USA", "usb", "USC/north"}, "österreich": {"Österreich"}, "ALT": {"ATL"},
		"q": nil, "": nil, "USA": {"usb", "Usage"}, "nothing like it": nil,
	} {
		if got := Near(word, names, 3); !slices.Equal(got, want) {
			t.Errorf("near %q: %q, want %q", word, got, want)
		}
	}
}

func TestSuggestWhateverTheCase(t *testing.T) {
	if got := Suggest("b", []string{"A", "B"}); got != `, did you mean "B"?` {
		t.Error(got)
	}
}

// A flag with one dash is letters to cobra: who writes it is told how it is written.
func TestFlagsWithOneDash(t *testing.T) {
	for arg, want := range map[string]string{
		"-help": "unknown flag: -help, did you mean --help?", "-config=a.yaml": "unknown flag: -config, did you mean --config?",
		"-x": "unknown shorthand flag: 'x' in -x", "-hx": "unknown shorthand flag: 'x' in -x", "--confg": "unknown flag: --confg, did you mean --config?",
	} {
		cmd := &cobra.Command{Use: "run", RunE: func(*cobra.Command, []string) error { return nil }}
		cmd.Flags().String("config", "", "")
		var said bytes.Buffer
		p := Program{Stdout: &said, Stderr: &said}
		if code := p.Run(context.Background(), cmd, []string{arg}); code != exitUsage || !strings.HasPrefix(said.String(), "run: "+want+"\n") {
			t.Errorf("%s: exit %d, %q", arg, code, said.String())
		}
	}
}
