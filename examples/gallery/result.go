package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// result is what a scenario's run left: its posteriors per key in the order of
// shards, and its data.
type result struct {
	keys   map[string][]*posterior
	shards int
	rows   *rows
}

// last returns the posterior after a key's last shard.
func (r *result) last(key string) *posterior {
	all := r.keys[key]
	return all[len(all)-1]
}

// posterior is one record of the output topic.
type posterior struct {
	Key   string `json:"key"`
	Shard int    `json:"t"`
	Rows  int    `json:"n"`
	Score struct {
		Rows       int      `json:"rows"`
		RMSE       *float64 `json:"rmse"`       // null in a key's first shard
		Coverage95 *float64 `json:"coverage95"` // the same
	} `json:"score"`
	Variables  []variable `json:"posterior"`
	Covariance []float64  `json:"covariance"` // of the coefficients: lower triangle, row by row
	Flags      []string   `json:"flags"`
}

// variable is the posterior of one number.
type variable struct {
	Name   string  `json:"variable"`
	Mean   float64 `json:"mean"`
	SD     float64 `json:"sd"`
	Median float64 `json:"median"`
	Q025   float64 `json:"q2.5"`
	Q25    float64 `json:"q25"`
	Q75    float64 `json:"q75"`
	Q975   float64 `json:"q97.5"`
}

// of returns a variable. A name that the model does not publish is a mistake
// in this program.
func (p *posterior) of(name string) variable {
	for _, v := range p.Variables {
		if v.Name == name {
			return v
		}
	}
	panic(fmt.Sprintf("the posterior of %s has no %s", p.Key, name))
}

// linear returns mean and sd of a linear combination of the coefficients, with
// weights in the order in which they are published.
func (p *posterior) linear(weights ...float64) (mean, sd float64) {
	variance := 0.
	for i, a := range weights {
		mean += a * p.Variables[i].Mean
		for j, b := range weights {
			variance += a * b * p.Covariance[max(i, j)*(max(i, j)+1)/2+min(i, j)]
		}
	}
	return mean, math.Sqrt(variance)
}

// parse reads the lines of `consumer tail --format json`.
func parse(from io.Reader) (*result, error) {
	r := &result{keys: map[string][]*posterior{}}
	for d := json.NewDecoder(from); ; r.shards++ {
		p := new(posterior)
		if err := d.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("posterior %d: %w", r.shards+1, err)
		}
		r.keys[p.Key] = append(r.keys[p.Key], p)
	}
	for _, all := range r.keys {
		slices.SortFunc(all, func(a, b *posterior) int { return a.Shard - b.Shard })
	}
	return r, nil
}

// rows are the data: text by column.
type rows struct {
	names  []string
	fields [][]string
}

// load reads a CSV file, packed or not.
func load(name string) (*rows, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var from io.Reader = bytes.NewReader(raw)
	if strings.HasSuffix(name, ".gz") {
		if from, err = gzip.NewReader(from); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	all, err := csv.NewReader(bufio.NewReader(from)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &rows{all[0], all[1:]}, nil
}

// text returns a column.
func (r *rows) text(name string) []string {
	j := slices.Index(r.names, name)
	if j < 0 {
		panic("the data have no column " + name)
	}
	out := make([]string, len(r.fields))
	for i, f := range r.fields {
		out[i] = f[j]
	}
	return out
}

// number returns a column of numbers.
func (r *rows) number(name string) []float64 {
	text := r.text(name)
	out := make([]float64, len(text))
	for i, s := range text {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			panic(fmt.Sprintf("column %s, row %d: %v", name, i+1, err))
		}
		out[i] = v
	}
	return out
}
