package probit

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/probit"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

// specOf is a method, the model itself for "", on unscaled columns x1 .. xp
// without an intercept.
func specOf(t testing.TB, method string, p, draws int, seed uint64, set func(any)) *cdf.Spec {
	t.Helper()
	roles := cdf.Roles{Scaling: "none"}
	for j := range p {
		roles.Features = append(roles.Features, cdf.Feature{Name: "x" + strconv.Itoa(j+1)})
	}
	s := modeltest.Spec(t, methodtest.Lookup(t, probit.Kind(), Competitors(), method), "", roles, func(v any) error {
		if set != nil {
			set(v)
		}
		return nil
	})
	s.Seed, s.Draws, s.Publish.Scale = seed, draws, "model"
	return s
}

// newBatch makes rows of normal columns x1 .. xp of the given sd.
func newBatch(r *rand.Rand, rows int, beta []float64, sd float64) *cdf.Batch {
	b := &cdf.Batch{Rows: rows}
	eta := make([]float64, rows)
	for i := range eta {
		eta[i] = r.NormFloat64()
	}
	for j, v := range beta {
		x := make([]float64, rows)
		for i := range x {
			x[i] = sd * r.NormFloat64()
			eta[i] += v * x[i]
		}
		b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j+1), Type: cdf.Float, Number: x})
	}
	y := make([]float64, rows)
	for i, v := range eta {
		if v > 0 {
			y[i] = 1
		}
	}
	b.Columns = append(b.Columns, cdf.Column{Name: "y", Type: cdf.Bool, Number: y})
	return b
}

func newBatches(r *rand.Rand, shards, rows int, beta []float64, sd float64) []*cdf.Batch {
	out := make([]*cdf.Batch, shards)
	for t := range out {
		out[t] = newBatch(r, rows, beta, sd)
	}
	return out
}

// stream takes a fresh filter through the shards.
func stream(t testing.TB, spec *cdf.Spec, shards []*cdf.Batch) (*cdf.Filter, *cdf.Summary) {
	t.Helper()
	f := cdf.NewFilter(spec, "a/key")
	var sum *cdf.Summary
	for i, b := range shards {
		var err error
		if sum, err = f.Update(b); err != nil {
			t.Fatalf("shard %d: %v", i+1, err)
		}
	}
	return f, sum
}

// moments are the means and sds of a summary's rows.
func moments(sum *cdf.Summary) (mean, sd []float64) {
	for _, r := range sum.Rows {
		mean, sd = append(mean, r.Mean), append(sd, r.SD)
	}
	return mean, sd
}

// The contract, but for one clause: S-MCMC and SMC keep every row.
func TestKeepsTheContract(t *testing.T) {
	shards := func(seed uint64, n int) []*cdf.Batch {
		r := rand.New(rand.NewPCG(seed, 1))
		out := make([]*cdf.Batch, n)
		for t := range out {
			out[t] = newBatch(r, 6+r.IntN(6), []float64{1, -.5}, 1.5)
			out[t].Time = int64(1000 * (t + 1))
			for i := range out[t].Columns[0].Number {
				out[t].Columns[0].Number[i] += 20
			}
		}
		return out
	}
	for _, method := range Competitors().Names() {
		breaks := []string{"bounded"}
		if method == "svb" {
			breaks = nil
		}
		t.Run(method, func(t *testing.T) {
			methodtest.Contract(t, cdftest.Suite{Shards: shards, New: func() *cdf.Spec {
				spec := specOf(t, method, 2, 100, 1, func(v any) {
					switch s := v.(type) {
					case *smcSettings:
						s.Particles = 200
					case *smcmcSettings:
						s.Chains = 4
					}
				})
				spec.Columns.Scaling, spec.Columns.Intercept, spec.Publish.Scale = "first", true, "original"
				return spec
			}}, breaks, nil)
		})
	}
}

// joined returns all rows as one shard.
func joined(shards []*cdf.Batch) *cdf.Batch {
	out := &cdf.Batch{Columns: slices.Clone(shards[0].Columns)}
	for j := range out.Columns {
		out.Columns[j].Number = nil
		for _, b := range shards {
			out.Columns[j].Number = append(out.Columns[j].Number, b.Columns[j].Number...)
		}
	}
	out.Rows = len(out.Columns[0].Number)
	return out
}
