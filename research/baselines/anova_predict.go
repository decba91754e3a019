package baselines

import "github.com/credence-stream/credence/cdf"

// groupLaws are the laws that the rows of one shard are predicted with: one
// per group, made when a row asks for it.
type groupLaws map[int32]*law

// of returns the law of group i, by fill where it is not there yet. Groups
// without rows share the one of -1.
func (g groupLaws) of(i int32, k int, fill func(i int32, l *law)) *law {
	if int(i) >= k {
		i = -1
	}
	l := g[i]
	if l == nil {
		l = new(law)
		fill(i, l)
		l.settle()
		g[i] = l
	}
	return l
}

// predictGroups describes every row by the law of its group. Without any
// group of the model's k the predictions stay undefined.
func predictGroups(sh *cdf.Shard, k int, laws func(i int32) *law, out []cdf.Prediction) {
	if k == 0 {
		return
	}
	described := map[*law]cdf.Prediction{}
	for i, y := range sh.Y {
		l := laws(sh.Group[0][i])
		p, ok := described[l]
		if !ok {
			l.describe(&p)
			described[l] = p
		}
		l.value(y, &p)
		out[i] = p
	}
}

// scoreGroups scores every row by the law of its group.
func scoreGroups(method string, sh *cdf.Shard, k int, laws func(i int32) *law) (cdf.Score, error) {
	s := newScoring()
	if k == 0 {
		s.out.PredictedRows = int64(sh.Rows - sh.Observed())
		return s.out, nil
	}
	for i, y := range sh.Y {
		s.row(laws(sh.Group[0][i]), y)
	}
	return s.score(method)
}
