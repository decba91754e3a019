//go:build ignore

// Command generate makes flights.csv.gz from flights-20k.json:
//
//	go run generate.go flights-20k.json flights.csv.gz
//
// SOURCE.md says where the input comes from.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// inputSHA1 is what the package's own datapackage.json gives for the file: the
// SHA-1 of a git blob, so a header goes before the bytes.
const inputSHA1 = "20c920b46db4f664bed3e1420b8348527cd7c41e"

type flight struct {
	Date        string `json:"date"`
	Delay       int    `json:"delay"`
	Distance    int    `json:"distance"`
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
	at          time.Time
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run generate.go flights-20k.json flights.csv.gz")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(from, to string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	blob := append(fmt.Appendf(nil, "blob %d\x00", len(raw)), raw...)
	if sum := fmt.Sprintf("%x", sha1.Sum(blob)); sum != inputSHA1 {
		return fmt.Errorf("%s has SHA-1 %s, want %s", from, sum, inputSHA1)
	}
	var flights []flight
	if err := json.Unmarshal(raw, &flights); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	for i := range flights {
		f := &flights[i]
		if f.at, err = time.Parse("2006/01/02 15:04", f.Date); err != nil {
			return fmt.Errorf("%s: row %d: %w", from, i+1, err)
		}
		if strings.ContainsAny(f.Origin+f.Destination, ",\"\r\n") {
			return fmt.Errorf("%s: row %d: airport needs quoting", from, i+1)
		}
	}
	// Stable, so that flights of one minute stay in the order of the source.
	slices.SortStableFunc(flights, func(a, b flight) int { return a.at.Compare(b.at) })

	// The zero gzip header has neither a name nor a time, so that the same
	// input gives the same bytes.
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	fmt.Fprintln(z, "date,hour,delay,late,distance,origin,destination")
	for _, f := range flights {
		fmt.Fprintf(z, "%s,%d,%d,%t,%d,%s,%s\n",
			f.at.Format("2006-01-02T15:04"), f.at.Hour(), f.Delay, f.Delay > 15, f.Distance, f.Origin, f.Destination)
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}
