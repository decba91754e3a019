package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/research/study"
)

func (p *program) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the experiments, their methods and how often they are repeated",
		Args:  cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "experiment\treps\tshards\tquick\tmethods\twhat")
			for _, e := range study.All() {
				var methods []string
				for i := range e.Methods {
					methods = append(methods, e.Methods[i].Name)
				}
				fmt.Fprintf(w, "%s\t%d\t%d\t%d x %d\t%s\t%s\n", e.Name, e.Size.Reps, e.Size.Shards,
					e.Quick.Reps, e.Quick.Shards, strings.Join(methods, ","), e.About)
			}
			return w.Flush()
		},
	}
}
