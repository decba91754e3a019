// Package demo carries real data for `consumer demo`: 20,000 flights within
// the United States in early 2001, in order of departure. SOURCE.md says where
// they come from.
package demo

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"
)

//go:embed flights.csv.gz
var packed []byte

// header is the first line of the data: the columns in the order that Rows
// reads them.
const header = "date,hour,delay,late,distance,origin,destination"

// dateLayout is how the data writes a departure.
const dateLayout = "2006-01-02T15:04"

// Flight is one row of the data.
type Flight struct {
	Date        time.Time // of departure, local time of the origin marked as UTC
	Hour        int       // of departure, 0 to 23
	Delay       int       // of arrival, minutes; negative: early
	Late        bool      // by more than 15 minutes
	Distance    int       // miles
	Origin      string    // IATA code
	Destination string    // IATA code
}

// Flights returns the data as CSV with a header line and the columns date,
// hour, delay, late, distance, origin and destination, rows in order of departure.
func Flights() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("demo flights: %w", err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("demo flights: %w", err)
	}
	return data, nil
}

// Rows yields the flights in order of departure. It stops at the first error,
// which only a damaged build can give.
func Rows() iter.Seq2[Flight, error] {
	return func(yield func(Flight, error) bool) {
		data, err := Flights()
		if err != nil {
			yield(Flight{}, err)
			return
		}
		head, rest, _ := bytes.Cut(data, []byte("\n"))
		if string(head) != header {
			yield(Flight{}, fmt.Errorf("demo flights: columns are %q, want %q", head, header))
			return
		}
		r := csv.NewReader(bytes.NewReader(rest))
		r.ReuseRecord = true
		for line := 2; ; line++ {
			record, err := r.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			f, parseErr := parse(record)
			if err = errors.Join(err, parseErr); err != nil {
				err = fmt.Errorf("demo flights: line %d: %w", line, err)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

func parse(record []string) (Flight, error) {
	if len(record) != 7 {
		return Flight{}, fmt.Errorf("%d fields, want 7", len(record))
	}
	f := Flight{Origin: record[5], Destination: record[6]}
	var errs [5]error
	f.Date, errs[0] = time.Parse(dateLayout, record[0])
	f.Hour, errs[1] = strconv.Atoi(record[1])
	f.Delay, errs[2] = strconv.Atoi(record[2])
	f.Late, errs[3] = strconv.ParseBool(record[3])
	f.Distance, errs[4] = strconv.Atoi(record[4])
	return f, errors.Join(errs[:]...)
}
