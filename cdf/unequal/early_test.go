package unequal

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A first shard tells by itself, of groups of five rows and more, what is gross, and hardly ever what is not: 1 in 2,000 of normal
// errors, 1 in 200 of exponential ones.
func TestEarly(t *testing.T) {
	var room Room
	part := func(groups, rows int, error func(r *rand.Rand, g, shard int) float64) float64 {
		up := 0
		y, group := make([]float64, rows), make([]int32, rows)
		const streams = 2000
		for seed := range uint64(streams) {
			r := rand.New(rand.NewPCG(seed, 92))
			for i := range y {
				g := i % groups
				y[i], group[i] = error(r, g, 0), int32(g)
			}
			if room.early(y, group) {
				up++
			}
		}
		return float64(up) / streams
	}
	sd := func(sd float64) func(r *rand.Rand, g, shard int) float64 {
		return func(r *rand.Rand, g, _ int) float64 { return math.Pow(sd, float64(g%2)) * r.NormFloat64() }
	}
	for _, c := range []struct {
		name         string
		groups, rows int
		error        func(r *rand.Rand, g, shard int) float64
		least, most  float64
	}{
		{"normal, 20 groups", 20, 100, normal, 0, .001},
		{"normal, two groups", 2, 50, normal, 0, .001},
		{"normal, 50 groups of six", 50, 300, normal, 0, .001},
		{"t", 20, 100, student(1), 0, .004},
		{"exponential, 20 groups", 20, 100, exponential, 0, .008},
		{"exponential, 50 groups of ten", 50, 500, exponential, 0, .002},
		{"log-normal, 20 groups", 20, 100, lognormal, 0, .02},
		{"rounded", 5, 50, rounded, 0, .002},
		{"20 groups, 4.85", 20, 100, sd(4.85), .75, 1},
		{"two groups, 3", 2, 50, sd(3), .65, .85},
		{"two groups, 5", 2, 50, sd(5), .95, 1},
		{"slight, of many rows", 2, 500, sd(1.6), 0, .2},
		{"four rows", 20, 80, sd(50), 0, 0},
		{"one group", 1, 80, normal, 0, 0},
	} {
		got := part(c.groups, c.rows, c.error)
		t.Logf("%s: %.4f", c.name, got)
		if got < c.least || got > c.most {
			t.Errorf("%s: %.4f of the shards, want %.4f to %.4f", c.name, got, c.least, c.most)
		}
	}
	if room.early([]float64{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, math.NaN(), 3}, []int32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, -1}) {
		t.Error("constants differ")
	}
}
