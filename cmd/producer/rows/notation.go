package rows

import "regexp"

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
	{regexp.MustCompile(`^(?:(?:19|20)\d\d[-/](?:0[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])[-/](?:19|20)\d\d)$`),
		"look like months with their year", "if they are, write them as dates, as 2026-01-01 for 2026-01"},
	{regexp.MustCompile(`^(?:(?:19|20)\d\d[-/ ]?(?:Q[1-4]|W[0-5]\d)|Q[1-4][-/ ]?(?:19|20)\d\d)$`),
		"look like quarters or weeks with their year", "if they are, write the dates on which they begin, as 2026-04-01 for 2026Q2"},
	{regexp.MustCompile(`^[-+]?\d+/\d+$`), "look like fractions", "if they are, write them in decimals"},
	{regexp.MustCompile(`^[-+]?[.,\x{66b}\x{66c}]*[` + otherDigits + `][` + otherDigits + `.,\x{66b}\x{66c}]*$`), "have digits of another script", "write them with 0 to 9"},
	{regexp.MustCompile(`^(0?[1-9]|[12]\d|3[01])[./-](0?[1-9]|[12]\d|3[01])[./-]\d\d$`), "look like dates whose years have two digits", "if they are, write the years with four"},
	{regexp.MustCompile(`^(?:EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|TRY|BRL|MXN|CAD|AUD|NZD|ZAR|SGD|HKD|US\$|R\$|Rs\.?) ?[-+]?\d[\d.,']*$`),
		"have a currency before them", "take it out of the file, and put it into the name of the column"},
	{regexp.MustCompile(`^[-+]?\d[\d.,]* ?(?:[kKM]|bn|[mM]ln|[mM]io|[mM]rd|[tT]sd)\.?$`),
		"have a letter or a word behind them that may stand for thousands or millions", "write them out, as 1500 for 1.5k; if it is a unit, put it into the name of the column"},
	{regexp.MustCompile(`^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?: ?[aApP]\.?[mM]\.?)?$`),
		"look like times of day", "if they are, write them in hours, as 13.5 for 13:30, or with their date before them"},
	{regexp.MustCompile(`^\d{4}[-/.]\d\d[-/.]\d\d[ T]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?[A-Z]{3,4}$`),
		"look like times with the name of a time zone", "write its offset for it, as +01:00 for CET"},
	{regexp.MustCompile(`^(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-/ .']+(?:\d\d|\d{4})$`),
		"look like months with their year", "if they are, write them as dates, as 2026-01-01 for Jan-26"},
}

// otherDigits are the digits of other scripts: of full width, Arabic, Persian and Devanagari.
const otherDigits = `\x{ff10}-\x{ff19}\x{660}-\x{669}\x{6f0}-\x{6f9}\x{966}-\x{96f}`

// mostTries is how many fields that are no numbers are looked at before there is one that looks like one.
const mostTries = 100

// resemble takes a field that is no number into account which may be one in another notation, that of
// the first such field.
func (g *guess) resemble(field string, line int) {
	switch {
	case g.oddly == 0 && g.tries == mostTries:
		return
	case g.oddly > 0:
		if g.notation.form.MatchString(field) {
			g.oddly++
		}
		return
	}
	for i := range notations {
		if notations[i].form.MatchString(field) {
			g.notation, g.oddly = &notations[i], 1
			g.odd.set(clipped(field), line)
			return
		}
	}
	g.tries++
}

// odds reports a column whose fields are numbers, or dates, but for a notation that they have.
func (g *guess) odds() bool {
	return g.oddly > 0 && (g.oddly+g.figures == g.fields || g.oddly+g.dates == g.fields || 2*g.oddly > g.fields)
}
