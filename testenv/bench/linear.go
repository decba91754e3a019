//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
)

// regressions compares the posterior after each shard of a linear regression,
// score and summary included, with that of numpy, and with river's fits.
func (b *bench) regressions() error {
	goals := map[int][3]figure{5: {20, 15, 5}, 50: {5, 5, 5}, 500: {2, 2, 2}}
	for _, p := range []int{5, 50, 500} {
		for i, n := range []int{10, 100, 1000} {
			if b.quick && p == 500 && n == 1000 {
				continue // the slowest; n = 100 says what p = 500 costs
			}
			work, err := regressionStream("linear", n, p)
			if err != nil {
				return err
			}
			name := fmt.Sprintf("linear p=%d, n=%d", p, n)
			l := line{name + " against numpy", sized(p), goals[p][i], "posterior after each shard, ours with its score; numpy: Gram matrix, eigh, ridge at the evidence's fixed point, sd, quantiles"}
			if err := b.against(l, work, b.peers.numpy, fmt.Sprintf("linear %d %d", p, n)); err != nil {
				return err
			}
			if n != 100 || p == 500 {
				continue
			}
			for _, r := range []struct{ task, name, how string }{
				{"sgd", "LinearRegression.learn_many", "posterior after each shard; river: a step of stochastic gradient descent"},
				{"bayes", "BayesianLinearRegression.learn_many", "posterior after each shard; river: coefficients and covariance, noise and prior given"},
			} {
				if err := b.against(line{name + " against river " + r.name, micros("shard"), 1, r.how}, work, b.peers.numpy, fmt.Sprintf("%s %d %d", r.task, p, n)); err != nil {
					return err
				}
			}
		}
	}
	if err := b.largeShards(); err != nil {
		return err
	}
	return b.perRow()
}

// largeShards compares shards so large that products of rows are nearly all there is: with numpy as above, which
// predicts none of them, and with numpy that scores them, too.
func (b *bench) largeShards() error {
	const n = 10_000
	for _, p := range []int{5, 50, 500} {
		if b.quick && p == 500 {
			continue
		}
		work, err := regressionStream("linear", n, p)
		if err != nil {
			return err
		}
		for _, peer := range []struct{ task, name, how string }{
			{"linear", "numpy", "as with fewer rows: ours with its score, numpy without"},
			{"scored", "numpy that scores", "posterior after each shard and its score; numpy: the log density of its rows by the posterior before them"},
		} {
			l := line{fmt.Sprintf("linear p=%d, n=%d against %s", p, n, peer.name), sized(p), 1, peer.how}
			if err := b.against(l, work, b.peers.numpy, fmt.Sprintf("%s %d %d", peer.task, p, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// perRow measures what a row of 50 columns costs.
func (b *bench) perRow() error {
	for _, c := range []struct {
		n    int
		goal figure
	}{{100, .5}, {1000, .15}} {
		work, err := regressionStream("linear", c.n, 50)
		if err != nil {
			return err
		}
		work.pieces = float64(c.n)
		if err := b.alone(line{fmt.Sprintf("a row of linear p=50, n=%d", c.n), micros("row"), c.goal, "posterior after each shard"}, work); err != nil {
			return err
		}
	}
	return b.early()
}

func sized(p int) unit {
	if p == 500 {
		return millis("shard")
	}
	return micros("shard")
}

// regressionStream returns updates of a filter that has seen 3,000 rows, as
// the peer's has. A wide linear one that gets to ten rows a column in its turns, where its series ends, has them
// before: the least turn would be of one or the other, by how many there are.
func regressionStream(kind string, n, p int) (*here, error) {
	seen := 3
	if kind == "linear" && n >= 100 {
		seen = max(seen, 12*p/1000)
	}
	f, err := newFilter(kind, cdf.Roles{Intercept: kind == "linear"}, "{}", regression(1000, p).several(seen)...)
	if err != nil {
		return nil, err
	}
	return stream(f, regression(n, p).several(turns)...), nil
}

// early measures the first shards of keys, of which a filter of many keys sees
// little else.
func (b *bench) early() error {
	const first = 5
	shards := regression(10, 5).several(60)
	f, err := newFilter("linear", cdf.Roles{Intercept: true}, "{}")
	if err != nil {
		return err
	}
	empty, err := f.AppendBinary(nil)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 3))
	begin := ours(func() error {
		if err := f.UnmarshalBinary(empty); err != nil {
			return err
		}
		from := r.IntN(len(shards) - first)
		for _, s := range shards[from : from+first] {
			if _, err := f.Update(s); err != nil {
				return err
			}
		}
		return nil
	}, first)
	return b.alone(line{"first five shards of a key, linear p=5, n=10", micros("shard"), 40, "keys that begin"}, begin)
}
