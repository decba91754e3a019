package anova

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/baselines/internal/law"
)

// groupLaws are the laws that the rows of one shard are predicted with: one
// per group, made when a row asks for it.
type groupLaws map[int32]*law.Mixture

// of returns the law of group i, by fill where it is not there yet. Groups
// without rows share the one of -1.
func (g groupLaws) of(i int32, k int, fill func(i int32, l *law.Mixture)) *law.Mixture {
	if int(i) >= k {
		i = -1
	}
	l := g[i]
	if l == nil {
		l = new(law.Mixture)
		fill(i, l)
		l.Settle()
		g[i] = l
	}
	return l
}

// predictGroups describes every row by the law of its group. Without any
// group of the model's k the predictions stay undefined.
func predictGroups(sh *cdf.Shard, k int, laws func(i int32) *law.Mixture, out []cdf.Prediction) {
	if k == 0 {
		return
	}
	described := map[*law.Mixture]cdf.Prediction{}
	for i, y := range sh.Y {
		l := laws(sh.Group[0][i])
		p, ok := described[l]
		if !ok {
			l.Describe(&p)
			described[l] = p
		}
		l.Value(y, &p)
		out[i] = p
	}
}

// scoreGroups scores every row by the law of its group.
func scoreGroups(method string, sh *cdf.Shard, k int, laws func(i int32) *law.Mixture) (cdf.Score, error) {
	if k == 0 {
		return sh.Unscored(), nil
	}
	s := law.NewScoring()
	for i, y := range sh.Y {
		s.Row(laws(sh.Group[0][i]), y)
	}
	return s.Score(method)
}
