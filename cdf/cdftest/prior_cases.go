package cdftest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// binned checks the counts of probability integral transforms: of every row
// scored, and those between the outer bins are the covered ones.
func binned(sc *cdf.Score, pit cdf.Transforms) error {
	all, inside := int64(0), int64(0)
	for i, n := range pit {
		all += int64(n)
		if i > 0 && i < cdf.PITBins-1 {
			inside += int64(n)
		}
	}
	if all != sc.Rows {
		return fmt.Errorf("transforms of %d rows are counted, %d are scored", all, sc.Rows)
	}
	if sc.Rows > 0 && float64(inside)/float64(all) != sc.Coverage95 {
		return fmt.Errorf("coverage95 is %g; %d of %d transforms are in the inner bins", sc.Coverage95, inside, all)
	}
	return nil
}

// prior compares a filter that is asked for its prior after every shard with
// one that is not.
func prior(s Suite) error {
	shards := s.Shards(18, 30)
	asked, plain := cdf.NewFilter(s.New(), key), cdf.NewFilter(s.New(), key)
	for i, b := range shards {
		got, err := copied(asked.Update(b))
		if err != nil {
			return err
		}
		want, err := plain.Update(b)
		if err != nil {
			return err
		}
		if fmt.Sprint(*got) != fmt.Sprint(*want) {
			return fmt.Errorf("shard %d: asked for the prior, the next summary is\n%+v\nwithout\n%+v", i+1, *got, *want)
		}
		a, err := asked.AppendBinary(nil)
		if err != nil {
			return err
		}
		p, err := plain.AppendBinary(nil)
		if err != nil {
			return err
		}
		if !bytes.Equal(a, p) {
			return fmt.Errorf("shard %d: asked for the prior, the state differs", i+1)
		}
		one, err := asked.Prior()
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		if err != nil {
			return err
		}
		two, err := asked.Prior()
		if err != nil {
			return err
		}
		if fmt.Sprint(*one) != fmt.Sprint(*two) {
			return fmt.Errorf("shard %d: asked twice, the prior is\n%+v\nand\n%+v", i+1, *one, *two)
		}
		if err := tells(one, got); err != nil {
			return fmt.Errorf("shard %d: %w", i+1, err)
		}
	}
	return nil
}

// tells checks a prior against a summary that has all variables.
func tells(prior, sum *cdf.Summary) error {
	if len(prior.Rows) != len(sum.Rows) || prior.N != 0 || prior.T != 0 || !reflect.DeepEqual(prior.Scaling, sum.Scaling) && len(sum.Scaling) > 0 {
		return fmt.Errorf("a prior of %d variables at t=%d, n=%d in the constants %v; the summary has %d and %v",
			len(prior.Rows), prior.T, prior.N, prior.Scaling, len(sum.Rows), sum.Scaling)
	}
	for i, r := range prior.Rows {
		if r.Variable != sum.Rows[i].Variable {
			return fmt.Errorf("the prior has %s where the summary has %s", r.Variable, sum.Rows[i].Variable)
		}
		q := []float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975}
		known := !slices.ContainsFunc(q, func(v float64) bool { return math.IsNaN(v) })
		if !slices.IsSorted(q) || !known && (!math.IsNaN(r.Median) || !math.IsNaN(r.SD)) || r.SD < 0 || r.Open {
			return fmt.Errorf("prior of %s: %+v", r.Variable, r)
		}
		if !slices.Contains(sum.PriorDominated, r.Variable) && sum.Rows[i].SD > .8*r.SD*(1+1e-9) {
			return fmt.Errorf("%s is not listed as dominated by the prior, its sd is %g and the prior's %g", r.Variable, sum.Rows[i].SD, r.SD)
		}
	}
	return nil
}
