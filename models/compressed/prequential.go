package compressed

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
