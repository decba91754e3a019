//go:build unix

// Command bench measures how fast shards become posteriors, as ratios against
// alternatives that run on the same machine, broker and topic in the same
// run. Absolute figures drift with the machine's load; ratios hold.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"

	"github.com/credence-stream/credence/testenv"
)

// item is one line of the table.
type item struct {
	Item        string  `json:"item"`
	Ours        float64 `json:"ours"`
	Alternative float64 `json:"alternative,omitempty"`
	Ratio       float64 `json:"ratio,omitempty"` // ours / alternative
	Unit        string  `json:"unit"`
	How         string  `json:"how"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	asJSON := flag.Bool("json", false, "one JSON object per line")
	records := flag.Int("records", 150_000, "records of the end-to-end runs")
	backend := flag.String("backend", string(testenv.Local), "embedded or local")
	only := flag.String("only", "", "micro or end-to-end")
	flag.Parse()

	var items []item
	if *only != "end-to-end" {
		micro, err := microscopic()
		if err != nil {
			return err
		}
		items = append(items, micro...)
	}
	if *only != "micro" {
		e2e, err := endToEnd(ctx, testenv.Backend(*backend), *records)
		if err != nil {
			return err
		}
		items = append(items, e2e...)
	}
	return show(items, *asJSON)
}

func show(items []item, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		for _, i := range items {
			if err := enc.Encode(i); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "| item\t| ours\t| alternative\t| ratio\t| unit\t| how measured |")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| --- |")
	for _, i := range items {
		alternative, ratio := "", ""
		if i.Alternative != 0 {
			alternative, ratio = fmt.Sprintf("%.4g", i.Alternative), fmt.Sprintf("%.2f", i.Ratio)
		}
		fmt.Fprintf(w, "| %s\t| %.4g\t| %s\t| %s\t| %s\t| %s |\n", i.Item, i.Ours, alternative, ratio, i.Unit, i.How)
	}
	return w.Flush()
}
