package formula

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/vec"
)

// compute writes the numbers of an expression into dst, which may have become NaN or
// infinite.
func (s *scratch) compute(b *cdf.Batch, x *node, role string, dst []float64) error {
	switch x.op {
	case opName:
		v, err := s.numbers(b, x.text, role)
		copy(dst, v)
		return err
	case opNumber:
		for i := range dst {
			dst[i] = x.value
		}
		return nil
	case opBraces:
		return s.compute(b, x.args[0], role, dst)
	case opMinus:
		err := s.compute(b, x.args[0], role, dst)
		for i, v := range dst {
			dst[i] = -v
		}
		return err
	case opCall:
		return s.call(b, x, role, dst)
	}
	if x.op == opCompare && (x.args[0].op == opText || x.args[1].op == opText) {
		return s.compareText(b, x, role, dst)
	}
	if err := s.compute(b, x.args[0], role, dst); err != nil {
		return err
	}
	since := s.used
	right := s.room()
	defer s.give(since)
	if err := s.compute(b, x.args[1], role, right); err != nil {
		return err
	}
	if x.op == opCompare {
		for i, v := range right {
			dst[i] = compared(x.text, dst[i], v)
		}
		return nil
	}
	for i, v := range right {
		dst[i] = binary(x.text, dst[i], v)
	}
	return nil
}

func (s *scratch) call(b *cdf.Batch, x *node, role string, dst []float64) error {
	if err := s.compute(b, x.args[0], role, dst); err != nil {
		return err
	}
	if part := parts[x.text]; part != nil {
		for i, v := range dst {
			dst[i] = ofCalendar(part, v)
		}
		return nil
	}
	f := elementaryOf(x.text)
	switch x.text {
	case "I":
		return nil
	case "log", "np.log":
		from := s.used
		v := s.room()
		copy(v, dst)
		vec.Logs(dst, v)
		s.give(from)
		return nil
	case "exp", "np.exp":
		from := s.used
		v := s.room()
		copy(v, dst)
		vec.Exps(dst, v)
		s.give(from)
		return nil
	}
	for i, v := range dst {
		dst[i] = f(v)
	}
	return nil
}

// binary is arithmetic as Python has it.
func binary(op string, a, b float64) float64 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "//":
		return math.Floor(a / b)
	case "%":
		r := math.Mod(a, b)
		if r != 0 && (r < 0) != (b < 0) {
			r += b
		}
		return r
	}
	if b == 2 {
		return a * a
	}
	return math.Pow(a, b)
}

// compared is 1 or 0, NaN where a side is missing.
func compared(op string, a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	holds := false
	switch op {
	case "==":
		holds = a == b
	case "!=":
		holds = a != b
	case "<":
		holds = a < b
	case "<=":
		holds = a <= b
	case ">":
		holds = a > b
	case ">=":
		holds = a >= b
	}
	return truth(holds)
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// compareText compares labels with a text, or weekdays with a name.
func (s *scratch) compareText(b *cdf.Batch, x *node, role string, dst []float64) error {
	of, word := x.args[0], x.args[1].text
	if of.op == opText {
		of, word = x.args[1], x.args[0].text
	}
	a := &settled{atom: &atom{node: of}, index: map[string]int32{word: 1}}
	if isWeekday(of) {
		a.factor = &factor{column: of.args[0].text, part: of.text}
	}
	if word == "True" || word == "False" {
		a.index[map[string]string{"True": "true", "False": "false"}[word]] = 1
	}
	since := s.coded
	var at placed
	if err := s.levels(b, a, &at); err != nil {
		return err
	}
	s.coded = since
	equal := int32(1)
	if a.factor != nil {
		for i, day := range weekdays {
			if day == word {
				equal = int32(i)
			}
		}
	}
	for i, code := range at.codes {
		dst[i] = math.NaN()
		if code != missing {
			dst[i] = truth((code == equal) == (x.text == "=="))
		}
	}
	return nil
}
