package demo

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestDataIsWhatSourceSays(t *testing.T) {
	data, err := Flights()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("SOURCE.md")
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(data)); !strings.Contains(string(source), sum) {
		t.Errorf("SOURCE.md does not have the checksum %s of the data", sum)
	}
}

func TestRows(t *testing.T) {
	var last time.Time
	n := 0
	for f, err := range Rows() {
		if err != nil {
			t.Fatal(err)
		}
		if f.Date.Before(last) || f.Date.Hour() != f.Hour || f.Distance < 1 ||
			f.Late != (f.Delay > 15) || len(f.Origin) != 3 || len(f.Destination) != 3 {
			t.Fatalf("row %d is %+v after %v", n, f, last)
		}
		if want := (Flight{
			Date: time.Date(2001, 1, 1, 0, 47, 0, 0, time.UTC), Hour: 0, Delay: 66, Late: true, Distance: 1750,
			Origin: "DTW", Destination: "LAS",
		}); n == 0 && f != want {
			t.Errorf("the first flight is %+v, want %+v", f, want)
		}
		last = f.Date
		n++
	}
	if n != 20000 {
		t.Errorf("%d flights, want 20000", n)
	}
}

// TestShardsHoldEveryFlightOnce puts the shards of each origin together again
// and compares them with the flights of that origin.
func TestShardsHoldEveryFlightOnce(t *testing.T) {
	type row struct {
		date                  float64
		hour, delay, distance int64
		late                  float64
		destination           string
	}
	const size = 10
	want := map[string][]row{}
	var firsts []string
	for f, err := range Rows() {
		if err != nil {
			t.Fatal(err)
		}
		if want[f.Origin] == nil {
			firsts = append(firsts, f.Origin)
		}
		late := 0.0
		if f.Late {
			late = 1
		}
		want[f.Origin] = append(want[f.Origin],
			row{float64(f.Date.Unix()), int64(f.Hour), int64(f.Delay), int64(f.Distance), late, f.Destination})
	}

	got := map[string][]row{}
	shards, rows := 0, 0
	var short []string
	for sh, err := range Shards(size) {
		if err != nil {
			t.Fatal(err)
		}
		c := sh.Batch.Columns
		if wantN := int64(len(got[sh.Key])/size + 1); sh.N != wantN {
			t.Fatalf("shard %d of %s comes when %d is due", sh.N, sh.Key, wantN)
		}
		if sh.Batch.Rows < size {
			short = append(short, sh.Key)
		} else if len(short) > 0 {
			t.Fatalf("whole shard of %s after short ones", sh.Key)
		}
		for i := range sh.Batch.Rows {
			destination, _ := c[5].Label(i)
			got[sh.Key] = append(got[sh.Key], row{c[0].Number[i], c[1].Int[i], c[2].Int[i], c[4].Int[i], c[3].Number[i], destination})
		}
		shards++
		rows += sh.Batch.Rows
	}

	if rows != 20000 || shards != 2104 || len(got) != 220 {
		t.Errorf("%d rows in %d shards of %d keys, want 20000, 2104, 220", rows, shards, len(got))
	}
	for key, rows := range want {
		if fmt.Sprint(got[key]) != fmt.Sprint(rows) {
			t.Errorf("the shards of %s differ from its flights", key)
		}
	}
	var wantShort []string
	for _, key := range firsts {
		if len(want[key])%size != 0 {
			wantShort = append(wantShort, key)
		}
	}
	if fmt.Sprint(short) != fmt.Sprint(wantShort) {
		t.Errorf("short shards come in the order %v, want that of first appearance %v", short, wantShort)
	}
}
