package app

import (
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
)

// Format adds --format and its shorthand --json.
type Format struct {
	format string
	json   bool
}

// Formats of what tail and get print.
const (
	Table = "table"
	JSON  = "json"
	CSV   = "csv"
)

// Add adds the flags to a command.
func (f *Format) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "", "table, json or csv (default: table on a terminal, else json)")
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	Offer(cmd, "format", Table, JSON, CSV)
}

// Choose returns the format for out.
func (f *Format) Choose(out io.Writer) (string, error) {
	switch f.format {
	case "":
		if f.json || !term.IsTerminal(out) {
			return JSON, nil
		}
		return Table, nil
	case Table, JSON, CSV:
		if f.json && f.format != JSON {
			return "", cli.Usagef("--json and --format %s contradict each other", f.format)
		}
		return f.format, nil
	default:
		return "", cli.Usagef("--format %s: %q is none of: table, json, csv", f.format, f.format)
	}
}

// Tabulate prints cells that are separated by tabs.
func Tabulate(out io.Writer, cells string, flags uint) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', flags)
	if _, err := io.WriteString(w, cells); err != nil {
		return err
	}
	return w.Flush()
}
