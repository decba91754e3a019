package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/measure"
)

// ErrNoData says that an experiment reads a file and none was given.
var ErrNoData = errors.New("--data FILE is not given: the file adult.data of " +
	"https://archive.ics.uci.edu/dataset/2/adult, with or without a line of column names")

// adultColumns are the columns of the file, in its order.
var adultColumns = []string{
	"age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship",
	"race", "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income",
}

// adultNumbers are those that enter as numbers, standardised.
var adultNumbers = []string{"age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"}

const (
	adultRows     = 30_000
	adultBaseline = "United-States"
)

// readAdult returns the first 30,000 complete rows of a file in columns: the
// standardised numbers, one 0/1 column per country of birth in byte order, the
// baseline left out, and y, 1 where the income is above 50,000 dollars.
func readAdult(path string) (*cdf.Batch, error) {
	if path == "" {
		return nil, ErrNoData
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := parseAdult(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

func parseAdult(from io.Reader) (*cdf.Batch, error) {
	r := csv.NewReader(from)
	r.TrimLeadingSpace, r.ReuseRecord = true, true
	r.FieldsPerRecord = len(adultColumns)
	at := func(column string) int { return slices.Index(adultColumns, column) }
	numbers, country, y := make([][]float64, len(adultNumbers)), []string(nil), []float64(nil)
	for first := true; len(y) < adultRows; first = false {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%d complete rows, want %d", len(y), adultRows)
		} else if err != nil {
			return nil, fmt.Errorf("not the Adult data, which have %d columns: %w", len(adultColumns), err)
		}
		if first && header(record) {
			continue
		}
		if slices.Contains(record, "?") {
			continue
		}
		line, _ := r.FieldPos(0)
		for j, column := range adultNumbers {
			v, err := strconv.ParseFloat(record[at(column)], 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("line %d: %s is %q, want a number", line, column, record[at(column)])
			}
			numbers[j] = append(numbers[j], v)
		}
		switch v := record[at("income")]; v {
		case ">50K":
			y = append(y, 1)
		case "<=50K":
			y = append(y, 0)
		default:
			return nil, fmt.Errorf("line %d: income is %q, want >50K or <=50K", line, v)
		}
		country = append(country, strings.Clone(record[at("native_country")]))
	}
	return adultBatch(numbers, country, y), nil
}

// header reports whether a record has the names of the columns, in whatever
// case and with whatever between their words.
func header(record []string) bool {
	for j, name := range adultColumns {
		if strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(strings.ToLower(record[j])) != name {
			return false
		}
	}
	return true
}

func adultBatch(numbers [][]float64, country []string, y []float64) *cdf.Batch {
	b := &cdf.Batch{Rows: len(y)}
	add := func(name string, v []float64) {
		b.Columns = append(b.Columns, cdf.Column{Name: name, Type: cdf.Float, Number: v})
	}
	for j, v := range numbers {
		mean, variance := measure.Moments(v)
		for i := range v {
			v[i] = (v[i] - mean) / math.Sqrt(variance)
		}
		add(adultNumbers[j], v)
	}
	for _, level := range slices.Compact(slices.Sorted(slices.Values(country))) {
		if level == adultBaseline {
			continue
		}
		v := make([]float64, len(y))
		for i := range v {
			if country[i] == level {
				v[i] = 1
			}
		}
		add("native_country="+level, v)
	}
	add("y", y)
	return b
}
