//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// writeJSON writes an object per line.
func writeJSON(w io.Writer, rows []row) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// markdown returns the table, its columns aligned, and a line that counts.
func markdown(rows []row) []byte {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| item\t| ours\t| alternative\t| unit\t| ratio\t| target\t| ok\t| ratio by the clock\t| how\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	reached := 0
	for _, r := range rows {
		alternative, ok := r.Alternative.String(), "no"
		switch {
		case r.Goal:
			alternative = "goal " + alternative
		case !r.Alternative.known():
			alternative = "none"
		}
		if r.OK {
			ok = "yes"
			reached++
		}
		fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t|\n",
			r.Item, r.Ours, alternative, r.Unit, r.Ratio, r.Target, ok, r.WallRatio, r.How)
	}
	_ = w.Flush() // into memory
	fmt.Fprintf(&out, "\n%d of %d rows reach their targets.\n", reached, len(rows))
	return out.Bytes()
}

// The lines of a page between which the table is.
const from, to = "<!-- the table: make bench writes it -->", "<!-- end of the table -->"

// place puts the table where a page has the marks.
func place(page, table []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(from+"\n"))
	_, after, ended := bytes.Cut(rest, []byte(to+"\n"))
	if !ok || !ended {
		return nil, fmt.Errorf("the page has no lines %q and %q", from, to)
	}
	return bytes.Join([][]byte{before, []byte(from + "\n\n"), table, []byte("\n" + to + "\n"), after}, nil), nil
}
