package rows

import (
	"regexp"
	"unicode"
)

// notation is a way to write numbers that is not read as one.
type notation struct {
	form         *regexp.Regexp
	what, remedy string // of the numbers of such a column
}

// notations are looked at in this order.
var notations = []notation{
	{regexp.MustCompile(`^[-+]?0[xX][0-9a-fA-F]{1,16}$`), "are hexadecimal", "if they are amounts, write them in decimals"},
	{regexp.MustCompile(`^[-+]?(\d+\.?\d*|\.\d+)[dD][-+]?\d+$`), "have a D before their exponents, as Fortran writes them", "put an E for it"},
	{regexp.MustCompile(`^[-+]?\d{1,2}(,\d\d)+,\d{3}(\.\d*)?$`), "have commas that are not between thousands alone", "take the commas out of the file"},
	{regexp.MustCompile(`^[-+]?\d+(_\d+)+(\.\d*)?$`), "have underscores between their digits", "take them out of the file"},
	{regexp.MustCompile(`^\d[\d.,]*-$`), "have their minus behind them", "put it before them"},
	{regexp.MustCompile(`^[<>≤≥]=? ?[-+]?\d[\d.,]*$`), "are partly bounds", "put the number there that is to stand for each; as missing values they would shift what is learnt"},
	{regexp.MustCompile(`^[-+]?\d+/\d+$`), "look like fractions", "if they are, write them in decimals"},
	{regexp.MustCompile(`^[-+]?[\x{ff10}-\x{ff19}\x{660}-\x{669}\x{6f0}-\x{6f9}\x{966}-\x{96f}.,\x{66b}\x{66c}]+$`), "have digits of another script", "write them with 0 to 9"},
}

// mostTries is how many fields that are no numbers are looked at before there is one that looks like one.
const mostTries = 100

// resemble takes a field that is no number into account which may be one in another notation, that of
// the first such field.
func (g *guess) resemble(field string, line int) {
	switch c := rune(field[0]); {
	case g.oddly == 0 && g.tries == mostTries:
		return
	case unicode.IsLetter(c) && c < 0x80:
	case g.oddly > 0:
		if g.notation.form.MatchString(field) {
			g.oddly++
		}
		return
	default:
		for i := range notations {
			if notations[i].form.MatchString(field) {
				g.notation, g.oddly = &notations[i], 1
				g.odd.set(clipped(field), line)
				return
			}
		}
	}
	g.tries++
}

// odds reports a column whose fields are numbers but for a notation that they have.
func (g *guess) odds() bool {
	return g.oddly > 0 && (g.oddly+g.figures == g.fields || 2*g.oddly > g.fields)
}
