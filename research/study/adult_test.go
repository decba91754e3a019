package study

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/research/measure"
)

// census returns rows in the form of the UCI file, every tenth incomplete:
// ages from 20, three countries, an income that follows the age.
func census(rows int) string {
	var b strings.Builder
	for i := range rows {
		country, income, class := []string{"United-States", "Mexico", "Canada"}[i%3], "<=50K", "Private"
		age := 20 + i%40
		if (age+i%7)%2 == 0 {
			income = ">50K"
		}
		if i%10 == 9 {
			class = "?"
		}
		fmt.Fprintf(&b, "%d, %s, %d, HS-grad, %d, Divorced, Sales, Unmarried, White, Male, %d, %d, %d, %s, %s\n",
			age, class, 1000+i%977, 1+i%16, 100*(i%5), i%3, 30+i%20, country, income)
	}
	return b.String()
}

const names = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship," +
	"race,sex,capital-gain,capital-loss,hours-per-week,native-country,income\n"

func TestAdultColumns(t *testing.T) {
	text := census(34_000)
	b, err := parseAdult(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range b.Columns {
		columns = append(columns, c.Name)
		if len(c.Number) != adultRows {
			t.Errorf("%s has %d rows", c.Name, len(c.Number))
		}
	}
	if got := strings.Join(columns, " "); got != strings.Join(adultNumbers, " ")+" native_country=Canada native_country=Mexico y" {
		t.Errorf("columns are %s", got)
	}
	for j := range adultNumbers {
		if mean, variance := measure.Moments(b.Columns[j].Number); math.Abs(mean) > 1e-9 || math.Abs(variance-1) > 1e-9 {
			t.Errorf("%s has mean %v and variance %v", adultNumbers[j], mean, variance)
		}
	}
	// Row 9 of the file is not complete: row 10, of age 30 and Mexico, is the
	// tenth that counts.
	if x := b.Columns[6].Number[9] + 2*b.Columns[7].Number[9]; x != 2 {
		t.Errorf("the country of the tenth row is %v", x)
	}
	with, err := parseAdult(strings.NewReader(names + text))
	if err != nil {
		t.Fatal(err)
	}
	for j, c := range with.Columns {
		for i, v := range c.Number {
			if v != b.Columns[j].Number[i] {
				t.Fatalf("with a line of names, row %d of %s is %v", i, c.Name, v)
			}
		}
	}
}

func TestAdultRefusesOtherFiles(t *testing.T) {
	first, _, _ := strings.Cut(census(1), "\n")
	for text, wanted := range map[string]string{
		"":                                       "0 complete rows",
		census(100):                              "90 complete rows, want 30000",
		"1,2,3\n":                                "not the Adult data, which have 15 columns",
		first + "\n1,2\n":                        "not the Adult data, which have 15 columns",
		strings.Replace(names, "age", "edge", 1): `line 1: age is "edge", want a number`,
		first + "\n" + strings.Replace(first, "20", "NaN", 1):    `line 2: age is "NaN", want a number`,
		first + "\n" + strings.Replace(first, ">50K", "rich", 1): `line 2: income is "rich", want >50K or <=50K`,
	} {
		if _, err := parseAdult(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%.40q gave %v, want %s", text, err, wanted)
		}
	}
}

// censusFile is a file that experiment adult reads.
func censusFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "adult.data")
	if err := os.WriteFile(path, []byte(census(34_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAdultRuns(t *testing.T) {
	path := censusFile(t)
	got := figures(t, "adult", Options{Seed: 1, Reps: 1, Shards: 2, Data: path, Methods: []string{"cdf"}})
	of := map[string]float64{}
	for _, r := range got {
		of[r.Metric] = r.Mean
	}
	wrong := of["misclassification"]
	if len(got) != 7 || !(wrong > 0 && wrong < .6) {
		t.Errorf("figures are %+v", got)
	}
	// Shares of the rows: of both classes as the file has them, and of the
	// errors, which are the two where the classes differ.
	all, err := readAdult(path)
	if err != nil {
		t.Fatal(err)
	}
	rich := 0.0
	for _, y := range response(all) {
		rich += y / float64(all.Rows)
	}
	for what, sums := range map[string][2]float64{
		"class 1": {of["share10"] + of["share11"], rich},
		"class 0": {of["share00"] + of["share01"], 1 - rich},
		"errors":  {of["share01"] + of["share10"], wrong},
	} {
		if math.Abs(sums[0]-sums[1]) > 1e-9 {
			t.Errorf("shares of %s add up to %v, want %v", what, sums[0], sums[1])
		}
	}
	e, _ := Lookup("adult")
	j, err := e.Prepare(Options{Seed: 1, Reps: 1, Shards: 101, Data: path, Methods: []string{"cdf"}})
	if err != nil {
		t.Fatal(err)
	}
	err = Run(t.Context(), []*Job{j}, func(int64) {}, func(*Job, []Result) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "101 shards of 300 rows are more than the 30000 rows") {
		t.Errorf("beyond the file: %v", err)
	}
}
