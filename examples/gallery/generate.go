//go:build ignore

// Command generate makes the data of a scenario from the file of a package:
//
//	go run generate.go SCENARIO INPUT OUTPUT
//
// SOURCE.md beside the data says where the input comes from.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// set is one scenario's data: the checksum of what it is made from, and how.
type set struct {
	sha256 string
	make   func(rows []row) (header string, lines []string, err error)
}

// row is a row of the input by the names of its columns.
type row map[string]string

var sets = map[string]set{
	"penguins":    {"f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93", penguins},
	"radon":       {"241219ed05d4bf7dc171ca279c69db7f8d87ae666feae86161c973483a054877", radon},
	"nile":        {"88e97bea7249e5832a85e41aec6ce4b8f7b1b14aae930c8363da7f193286b598", nile},
	"birdstrikes": {"45777edf69984b37599e73dbfb34dbc976055243547407214261a4fcb9466462", birdstrikes},
	"meat":        {"b9ef29e3346bad473cd329c7e9ce88d2f3ce88607cdbd1c340a4fe37f1b1d631", meat},
	"horsekicks":  {"5c80c9493b4cef1cf7ff8094799f98cde4ce94f7decd5289748545d8f6e36a6e", horsekicks},
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: go run generate.go SCENARIO INPUT OUTPUT")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(name, from, to string) error {
	s, ok := sets[name]
	if !ok {
		return fmt.Errorf("no scenario %q", name)
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(raw)); sum != s.sha256 {
		return fmt.Errorf("%s has SHA-256 %s, want %s", from, sum, s.sha256)
	}
	rows, err := read(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	header, lines, err := s.make(rows)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	text := []byte(header + "\n" + strings.Join(lines, "\n") + "\n")
	if strings.HasSuffix(to, ".gz") {
		// The zero gzip header has neither a name nor a time, so that the
		// same input gives the same bytes.
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(text); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		text = packed.Bytes()
	}
	return os.WriteFile(to, text, 0o644)
}

// read returns the rows of a CSV file without the blanks around its fields.
func read(raw []byte) ([]row, error) {
	all, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, fields := range all[1:] {
		r := row{}
		for i, f := range fields {
			r[strings.TrimSpace(all[0][i])] = strings.TrimSpace(f)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// penguins leaves out birds without a measure or a sex. Years come first; the
// species of a year, which the source has one after the other, take turns.
func penguins(rows []row) (string, []string, error) {
	turn := map[string]int{}
	type bird struct {
		year, turn int
		line       string
	}
	var birds []bird
	for _, r := range rows {
		if r["body_mass_g"] == "NA" || r["sex"] == "NA" || r["sex"] == "" || r["body_mass_g"] == "" {
			continue
		}
		year, err := strconv.Atoi(r["year"])
		if err != nil {
			return "", nil, err
		}
		place := r["species"] + r["year"]
		turn[place]++
		birds = append(birds, bird{year, turn[place], strings.Join([]string{
			r["year"], r["species"], r["sex"], r["flipper_length_mm"], r["body_mass_g"],
		}, ",")})
	}
	slices.SortStableFunc(birds, func(a, b bird) int {
		if a.year != b.year {
			return a.year - b.year
		}
		return a.turn - b.turn
	})
	var lines []string
	for _, b := range birds {
		lines = append(lines, b.line)
	}
	return "year,species,sex,flipper_mm,mass_g", lines, nil
}

// radon keeps the houses of Minnesota in the order in which their measurement
// began. A measured 0 stands for less than the instrument sees: 0.1.
func radon(rows []row) (string, []string, error) {
	var lines []string
	for _, r := range rows {
		if r["state"] != "MN" {
			continue
		}
		level, err := strconv.ParseFloat(r["activity"], 64)
		if err != nil {
			return "", nil, err
		}
		if level == 0 {
			level = 0.1
		}
		d := r["startdt"] // MMDDYY
		lines = append(lines, fmt.Sprintf("19%s-%s-%s,%s,%s,%.4f", d[4:], d[:2], d[2:4],
			r["county"], r["floor"], math.Log(level)))
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[:10], b[:10]) })
	return "started,county,floor,log_radon", lines, nil
}

func nile(rows []row) (string, []string, error) {
	var lines []string
	for _, r := range rows {
		lines = append(lines, r["year"]+","+r["volume"])
	}
	return "year,flow", lines, nil
}

// birdstrikes keeps the strikes of known speed in order of date, but for 15
// whose damage has a code that the source does not explain.
func birdstrikes(rows []row) (string, []string, error) {
	damage := map[string]int{"None": 0, "Minor": 1, "Medium": 1, "Substantial": 1}
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a["Flight Date"], b["Flight Date"]) })
	var lines []string
	for _, r := range rows {
		damaged, known := damage[r["Effect Amount of damage"]]
		if !known || r["Speed IAS in knots"] == "" {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s,%s,%s,%d", r["Flight Date"],
			strings.ToLower(r["Wildlife Size"]), r["Speed IAS in knots"], damaged))
	}
	return "date,size,speed,damaged", lines, nil
}

// meat takes the fat, which the script of SOURCE.md has put first, and the
// absorbances as they are.
func meat(rows []row) (string, []string, error) {
	header := "fat"
	for nm := 850; nm < 1050; nm += 2 {
		header += fmt.Sprintf(",nm%d", nm)
	}
	names := strings.Split(header, ",")
	var lines []string
	for _, r := range rows {
		line := make([]string, len(names))
		for i, name := range names {
			line[i] = r[name]
		}
		lines = append(lines, strings.Join(line, ","))
	}
	return header, lines, nil
}

// horsekicks puts the corps of a year together.
func horsekicks(rows []row) (string, []string, error) {
	var lines []string
	for _, r := range rows {
		year, err := strconv.Atoi("18" + r["year"])
		if err != nil {
			return "", nil, err
		}
		// The middle of the twenty years is 0, so that the intercept is theirs.
		lines = append(lines, fmt.Sprintf("%d,%.2f,%s,%s", year, (float64(year)-1884.5)/10, r["corp"], r["y"]))
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[:4], b[:4]) })
	return "year,decades,corps,deaths", lines, nil
}
