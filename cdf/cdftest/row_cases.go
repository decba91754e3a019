package cdftest

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// silent returns a copy whose rows have no response.
func silent(spec *cdf.Spec, b *cdf.Batch) *cdf.Batch {
	return edited(b, func(b *cdf.Batch) {
		y := &b.Columns[response(spec, b)]
		for i := range y.Number {
			y.Number[i] = math.NaN()
		}
	})
}

func emptyShard(s Suite) error {
	spec := s.New()
	shards := s.Shards(9, 25)
	for _, at := range []int{0, 3, 20} {
		f := cdf.NewFilter(spec, key)
		for i, b := range shards {
			if i == at {
				n := f.N()
				sum, err := f.Update(silent(spec, b))
				if err != nil {
					return fmt.Errorf("shard %d without a usable row: %w", i+1, err)
				}
				if sum.T != int64(i+1) || sum.N != n || sum.Score.PredictedRows != int64(b.Rows) || sum.Score.Rows != 0 {
					return fmt.Errorf("shard %d without a usable row: t=%d n=%d score %+v", i+1, sum.T, sum.N, sum.Score)
				}
				if len(sum.Rows) == 0 {
					return fmt.Errorf("shard %d without a usable row: no variables", i+1)
				}
			}
			if _, err := f.Update(b); err != nil {
				return fmt.Errorf("shard %d, empty one at %d: %w", i+1, at, err)
			}
		}
	}
	return nil
}

func nullResponses(s Suite) error {
	if s.Steps {
		return nil
	}
	spec := s.New()
	shards := s.Shards(10, 30)
	f, g := cdf.NewFilter(spec, key), cdf.NewFilter(spec, key)
	for i, b := range shards {
		// Every other shard gets its own rows once more, without response.
		more := b
		if i%2 == 0 {
			more = joined([]*cdf.Batch{silent(spec, b), b})
		}
		want, err := f.Update(b)
		if err != nil {
			return err
		}
		got, err := g.Update(more)
		if err != nil {
			return err
		}
		if got.Score.PredictedRows != int64(more.Rows-b.Rows) {
			return fmt.Errorf("shard %d: %d rows without response, counted %d", i+1, more.Rows-b.Rows, got.Score.PredictedRows)
		}
		calm, err := copied(got, nil)
		if err != nil {
			return err
		}
		calm.Score.PredictedRows = 0
		if print(calm) != print(want) {
			return fmt.Errorf("shard %d with rows without response:\n%s\nwithout:\n%s", i+1, print(calm), print(want))
		}
	}
	return nil
}

func binding(s Suite) error {
	shards := s.Shards(11, 25)
	_, want, err := run(s.New(), shards)
	if err != nil {
		return err
	}
	mixed := []*cdf.Batch{shards[0]}
	for i, b := range shards[1:] {
		mixed = append(mixed, edited(b, func(b *cdf.Batch) {
			extra := cdf.Column{Name: "nobody asked", Type: cdf.Float, Number: make([]float64, b.Rows)}
			for j := range extra.Number {
				extra.Number[j] = math.Inf(-1)
			}
			b.Columns = append(b.Columns, extra)
			for k := range i % 4 {
				j := (i + 3*k) % len(b.Columns)
				b.Columns[0], b.Columns[j] = b.Columns[j], b.Columns[0]
			}
			slices.Reverse(b.Columns)
		}))
	}
	_, got, err := run(s.New(), mixed)
	if err != nil {
		return err
	}
	for i := range want {
		if err := same(fmt.Sprintf("shard %d with its columns in another order", i+1), got[i], want[i]); err != nil {
			return err
		}
	}
	return nil
}
