package draft

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// spellings are texts that name one thing each, however few of them there are.
var spellings = []struct {
	plural string
	form   *regexp.Regexp
}{
	{"UUIDs", regexp.MustCompile(`^(?i)\{?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?$`)},
	{"mail addresses", regexp.MustCompile(`^[^\s@]+@[^\s@]+\.[^\s@]+$`)},
	{"addresses of pages", regexp.MustCompile(`^(?i)(https?|ftp)://\S+$`)},
	{"hexadecimal digests", regexp.MustCompile(`^(?i)(0x)?[0-9a-f]{12,}$`)},
	{"numbers with leading zeros", regexp.MustCompile(`^0[0-9]{2,}$`)},
	{"phone numbers", regexp.MustCompile(`^(\+[0-9]|\(?[0-9]{2,5}\)?[ /-])[0-9 ()/.-]{5,}[0-9]$`)},
}

// spelled says what all texts of a column are spelt like, "" for nothing that names one
// thing.
func (c *column) spelled() string {
	for _, s := range spellings {
		alike := 0
		for text := range c.counts {
			if s.form.MatchString(text) || s.plural == "numbers with leading zeros" && digits(text) {
				alike++
			}
		}
		zeros := s.plural != "numbers with leading zeros" || 20*c.leading() >= len(c.counts)
		if zeros && 20*alike >= 19*len(c.counts) && alike > 0 {
			return s.plural
		}
	}
	return ""
}

// leading is how many of the texts are numbers that begin with a zero.
func (c *column) leading() (n int) {
	for text := range c.counts {
		if len(text) > 2 && text[0] == '0' && digits(text) {
			n++
		}
	}
	return n
}

func digits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// namesIDs reports whether the name of a column says that it holds ids: a word for them, or
// orderid and the like, which are written as one word.
func (c *column) namesIDs() bool {
	return has(c.name, idWords) || has(c.name, oneWordIDs)
}

// oneWordIDs are names of ids without a seam.
var oneWordIDs = func() (words []string) {
	for _, list := range [][]string{groupWords, {
		"order", "transaction", "trans", "invoice", "passenger", "session", "event", "record", "rec", "account", "listing", "obs",
		"booking", "request", "message", "case", "trip", "ride", "loan", "person", "employee", "student", "visit", "ticket", "post",
	}} {
		for _, word := range list {
			if word != "id" {
				words = append(words, word+"id")
			}
		}
	}
	return words
}()

// id says why a column looks like the names of its rows, "" where it doesn't.
func (c *column) id() string {
	nearly := c.full || c.values >= fewRows && 10*c.distinct() >= 9*c.values
	rarely := c.full || c.values >= 3 && 2*c.distinct() > c.values
	switch {
	case c.kind == cdf.Float && !c.rounded() || c.kind == cdf.Time || c.kind == cdf.Bool || !rarely:
		return ""
	case c.kind == cdf.Text && c.spelled() != "":
		return fmt.Sprintf("looks like an id: %s, %s", c.spelled(), c.apart())
	case !nearly:
		return ""
	case c.kind == cdf.Text:
		return "looks like an id: " + c.apart()
	case c.kind == cdf.Integer && indexed.MatchString(c.name):
		return "looks like the index that pandas writes: numbers of rows"
	case c.namesIDs():
		return fmt.Sprintf("looks like an id: %d different numbers in %d rows", c.distinct(), c.values)
	case has(c.name, dialled) && c.least >= 1e6:
		return fmt.Sprintf("looks like a number to dial or to look up: %d different ones in %d rows", c.distinct(), c.values)
	case c.rising && c.most-c.least == float64(c.values-1):
		return fmt.Sprintf("counts the rows: %s to %s", number(c.least), number(c.most))
	}
	return ""
}

// apart is how many different texts there are in how many rows.
func (c *column) apart() string {
	return fmt.Sprintf("%s in %d rows", plural(c.distinct(), "different text", "different texts"), c.values)
}

// indexed are the names that pandas gives an index that is a column.
var indexed = regexp.MustCompile(`^(Unnamed: [0-9]+(_level_[0-9]+)?(\.[0-9]+)?|__index_level_[0-9]+__)$`)

// wide reports integers of which some are beyond what numbers hold: two that differ by one are
// the same number.
func (c *column) wide() bool {
	return c.kind == cdf.Integer && max(-c.least, c.most) > 1<<53
}

// rounded reports numbers that were written as integers which no int64 holds, and are the nearest
// that a float64 does.
func (c *column) rounded() bool {
	return c.kind == cdf.Float && c.whole && min(math.Abs(c.least), math.Abs(c.most)) >= 1<<63
}

// dialled are names of integers that mean no amount.
var dialled = []string{"phone", "telephone", "tel", "mobile", "cell", "fax", "isbn", "ean", "gtin", "upc", "barcode", "ssn", "imei", "account", "iban"}
