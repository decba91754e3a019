package compressed

import "github.com/credence-stream/credence/cdf/lin"

// prequential compares the predictions of shards not yet absorbed with those
// of the running mean of the response, in discounted sums of squares.
type prequential struct{ model, null float64 }

func (s *prequential) discount(d float64) {
	s.model *= d
	s.null *= d
}

func (s *prequential) add(model, null float64) {
	s.model += model * model
	s.null += null * null
}

// leastJudged is the number of rows from which on predictions are judged.
const leastJudged = 30

func (s *prequential) appendFlags(dst []string, rows float64) []string {
	if rows >= leastJudged && s.model > s.null {
		return append(dst, worseThanNull)
	}
	return dst
}

// finite reports whether all numbers of a state are: it could not be loaded otherwise.
func finite(numbers []*float64, vectors ...[]float64) bool {
	for _, v := range numbers {
		if !lin.Finite(*v) {
			return false
		}
	}
	for _, x := range vectors {
		if !lin.Finite(x...) {
			return false
		}
	}
	return true
}
