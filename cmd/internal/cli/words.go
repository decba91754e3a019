package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Count writes a number of things with commas: 12,345.
func Count[N ~int | ~int64](n N) string {
	text := fmt.Sprint(int64(n))
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Number writes four digits of a number, large ones with commas and without an exponent:
// 2.5, 12,350, 106,900,000.
func Number(x float64) string {
	text := strconv.FormatFloat(x, 'g', 4, 64)
	if math.Abs(x) < 1e15 && strings.Contains(text, "e+") {
		rounded, _ := strconv.ParseFloat(text, 64)
		return Count(int64(rounded))
	}
	return text
}

// Plural counts things by the word for one and the word for more, which without one gets
// an s.
func Plural[N ~int | ~int64](n N, one string, more ...string) string {
	if n == 1 {
		return "1 " + one
	}
	if len(more) > 0 {
		return Count(n) + " " + more[0]
	}
	return Count(n) + " " + one + "s"
}

// First returns so many of a list of words, and last how many more there are. The list stays as it is.
func First(words []string, most int) []string {
	if len(words) <= most {
		return words
	}
	return append(words[:most:most], fmt.Sprintf("and %s more", Count(len(words)-most)))
}

// Size writes bytes in the largest unit that leaves no fraction.
func Size(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d %s", n/u.bytes, u.name)
		}
	}
	return Plural(n, "byte")
}
