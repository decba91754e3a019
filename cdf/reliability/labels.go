package reliability

import (
	"math"

	"github.com/credence-stream/credence/cdf/normal"
)

// Wrong labels are told by the likelihood ratio of what they would make of each prediction, by which
// chance is multiplied row by row: while no label is wrong its mean is 1 at most after any number of rows, so that it ever reaches
// 1/a with a chance of a at most (Ville's inequality; Shafer, JRSS A 184, 2021). Sums by class lose more than half of what a steep
// slope tells of them: a row that was predicted with .0001 is in one class with one of .01.
//
// Probabilities of the other link, the logistic distribution, have heavier tails, but lower this ratio.
const (
	// wrongPart is the part of the labels that is taken to be wrong: the ratio grows with parts of .02 to .2.
	wrongPart = .05
	// flattened is by how much wrong labels have flattened the slopes of what was predicted.
	flattened = 1.3
	// likelyWrong is the logarithm of the ratio that is told of: 1 in 2,000 streams reach it by chance.
	likelyWrong = 7.6
	// hardlyWrong bounds it from below, so that right labels of before do not hide wrong ones for long.
	hardlyWrong = -5
)

// wrongRatio returns the logarithm of how many times as probable wrong labels make a response that was predicted
// with q. No row by itself decides: what is less probable than leastVariance counts as that, whatever the label.
func wrongRatio(q float64) float64 {
	q = max(q, leastVariance)
	z := float64(flattened * normal.Quantile(min(q, 1-1e-12)))
	return math.Log((wrongPart + float64((1-2*wrongPart)*normal.CDF(z))) / q)
}

// addLabels multiplies the ratio by what a shard says, whose rows count for as much as given.
func (a *Account) addLabels(s *Shard, weight float64) {
	a.Intercept = s.intercept
	if a.Intercept {
		log := float64(a.Curves[0].Off) + float64(weight*s.wrong)
		a.Curves[0] = Sum{Off: float32(max(log, hardlyWrong)), Variance: a.Rows}
	}
}

// Mislabelled reports whether responses look as if some labels were wrong: rows come out the other way however surely they
// were predicted.
func (a *Account) Mislabelled() bool {
	return a.Intercept && a.Curves[0].Off > likelyWrong
}
