package main

import (
	"math"
	"path"
	"strconv"
)

// scenario is one question that data answer.
type scenario struct {
	name     string // of its folder, too
	kind     string // of its model
	question string
	file     string // of the data
	topic    string
	sends    []send
	// findings are the numbers that the answer rests on.
	findings func(*result) []finding
	picture  func(*result) *page
}

// send is one replay of the data.
type send struct {
	key     string
	columns string // empty: all
	rows    int    // of a shard
}

var scenarios = []scenario{penguins, radon, nile, birdstrikes, meat, horsekicks, flights}

// folder returns the scenario's folder below the module's root.
func (s *scenario) folder() string { return path.Join("examples", "gallery", s.name) }

// arguments returns those of `producer replay` for a send, brokers aside.
func (s *scenario) arguments(d send) []string {
	args := []string{"replay", "--input", path.Join(s.folder(), s.file), "--key", d.key}
	if d.columns != "" {
		args = append(args, "--columns", d.columns)
	}
	return append(args, "--rows", strconv.Itoa(d.rows), "--topic", s.topic)
}

// finding is a number with the bounds of its 95 % interval, NaN where it has
// none, and how many decimals of it matter.
type finding struct {
	name           string
	median, lo, hi float64
	decimals       int
}

func (f finding) show(v float64) string { return strconv.FormatFloat(v, 'f', f.decimals, 64) }

// interval returns the 95 % interval in words.
func (f finding) interval() string {
	if math.IsNaN(f.lo) {
		return ""
	}
	return f.show(f.lo) + " to " + f.show(f.hi)
}

// of makes a finding of a variable, seen through an increasing function.
func of(name string, decimals int, v variable, through func(float64) float64) finding {
	return finding{name, through(v.Median), through(v.Q025), through(v.Q975), decimals}
}

func same(v float64) float64 { return v }

// times returns multiplication by a positive factor.
func times(factor float64) func(float64) float64 {
	return func(v float64) float64 { return factor * v }
}
