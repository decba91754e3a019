package main

import (
	"fmt"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/research/study"
)

func (p *program) figuresCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "figures",
		Short: "Print every figure of the paper that is compared, and where it stands",
		Args:  cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "experiment\tmethod\tt\tmetric\tpaper\tse\twhere")
			for _, f := range study.Figures() {
				se := "-"
				if !math.IsNaN(f.SE) {
					se = fmt.Sprintf("%g", f.SE)
				}
				fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%g\t%s\t%s\n", f.Experiment, f.Method, f.T, f.Metric, f.Value, se, f.Where)
			}
			return w.Flush()
		},
	}
}
