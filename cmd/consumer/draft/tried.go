package draft

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/collinear"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/models/kind"
)

const (
	// triedKeys and triedRows are how much of a sample is folded for each try, a key's in about so many shards; triedCounts is that of
	// counts, whose kind takes long.
	triedKeys, triedRows, triedCounts, triedOfKey = 5, 1500, 600, 12
	// mostWork bounds what is tried, in units of a hundredth of a second or so: see work.
	mostWork = 200
	// leastTried is how few rows of a shard are too few to compare by.
	leastTried = 20
	// trimmed is the share of responses at either end that are left out: a few far ones speak for a logarithm that the others have no use for.
	trimmed = .03
)

// triedShard is rows of a key that are predicted by those before them: of a key's first shard they are only learnt from.
type triedShard struct {
	first bool
	batch *cdf.Batch
	logs  float64 // sum of the logarithms of the responses, NaN where one has none
}

// triedShards are those of the keys with the most rows, of so many rows.
func (m *Model) triedShards(left int) (all []triedShard) {
	for _, of := range m.profile.rows.Keyed(triedKeys) {
		b := of.Batch()
		used := m.comparedRows(b)
		used = used[:min(len(used), left)]
		left -= len(used)
		size := max(leastTried, (len(used)+triedOfKey-1)/triedOfKey)
		if len(used) < 2*size {
			continue
		}
		y := valuesOf(b, m.response.name)
		for lo := 0; lo+size <= len(used); lo += size {
			rows := used[lo : lo+size]
			s := triedShard{first: lo == 0, batch: collinear.Pick(b, rows)}
			for _, i := range rows {
				s.logs += math.Log(y[i])
			}
			all = append(all, s)
		}
	}
	return all
}

// comparedRows are those that have a value in each column of numbers of the draft, without those of the most extreme responses.
func (m *Model) comparedRows(b *cdf.Batch) (rows []int) {
	y := valuesOf(b, m.response.name)
	if y == nil {
		return nil
	}
	columns := [][]float64{y}
	for i := range m.columns {
		if g := &m.columns[i]; g.role == numericFeature {
			columns = append(columns, valuesOf(b, g.name))
		}
	}
	for i := range b.Rows {
		if !slices.ContainsFunc(columns, func(c []float64) bool { return i >= len(c) || math.IsNaN(c[i]) }) {
			rows = append(rows, i)
		}
	}
	if m.Kind.Response != kind.Real || m.Kind.Time || len(rows) == 0 {
		return rows // a series without its extremes is another
	}
	sorted := make([]float64, 0, len(rows))
	for _, i := range rows {
		sorted = append(sorted, y[i])
	}
	slices.Sort(sorted)
	out := int(math.Ceil(trimmed * float64(len(rows))))
	if 2*out >= len(rows) {
		return nil
	}
	least, most := sorted[out], sorted[len(sorted)-1-out]
	return slices.DeleteFunc(rows, func(i int) bool { return y[i] < least || y[i] > most })
}

// valuesOf are the numbers of a column, nil where it has none.
func valuesOf(b *cdf.Batch, name string) []float64 {
	if c := collinear.Column(b, name); c != nil {
		return c.Number
	}
	return nil
}

// work is about what it takes to fold the shards into a kind once, by the numbers of its coefficients and of groups.
func (m *Model) work(k *kind.Kind) float64 {
	coefficients, groups := 0, 0
	for i := range m.columns {
		switch g := &m.columns[i]; g.role {
		case numericFeature:
			coefficients++
		case categoricalFeature:
			coefficients += g.distinct()
		case group:
			groups += g.distinct()
		}
	}
	units := 1 + float64(coefficients)/10 + math.Pow(float64(coefficients)/30, 3) + float64(groups)/8
	if k.Response == kind.Real {
		units /= 20
	}
	return units
}

// densities are the log density of the rows of each shard by the model of those before it, in units of the response as it came; 0 of a key's first.
// False: the columns with these changes make no model, or it does not predict all of the rows, or enough was tried.
func (m *Model) densities(k *kind.Kind, made []change, shards []triedShard) ([]float64, bool) {
	text := m.changed(k, made)
	work := m.work(k)
	if text == "" || m.worked+work > mostWork {
		return nil, false
	}
	m.worked += work
	time := ""
	if t := first(m.columns, clock); k.Time && t != nil {
		time = fmt.Sprintf(", columns: {time: %s}", inline(t.name))
	}
	c, _, err := config.Parse(config.Source{Kinds: m.kinds, File: "a try"}, fmt.Appendf(nil, "models: [{match: '**', kind: %s, formula: %s%s}]", k.Name, inline(text), time))
	if err != nil {
		return nil, false
	}
	logged := slices.ContainsFunc(made, func(c change) bool { return c.of == m.response })
	all := make([]float64, len(shards))
	var filter *cdf.Filter
	for i, s := range shards {
		if s.first {
			filter = cdf.NewFilter(c.Models[0].Spec, "")
		}
		sum, err := filter.Update(s.batch)
		if err != nil {
			return nil, false
		}
		if s.first {
			continue
		}
		if sum.Score.Rows != int64(s.batch.Rows) {
			return nil, false
		}
		all[i] = sum.Score.LogDensity * float64(s.batch.Rows)
		if logged {
			all[i] -= s.logs // the density of y is that of its logarithm over y
		}
		if math.IsNaN(all[i]) || math.IsInf(all[i], 0) {
			return nil, false
		}
	}
	return all, true
}
