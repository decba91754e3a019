package formula

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What is wrong is named, with a caret below its place.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ formula, says, caret string }{
		{"", "the formula ends", "^"},
		{"~ x", "the response is missing", "^"},
		{"y", `"~" is expected`, " ^"},
		{"y ~", "the formula ends", "   ^"},
		{"y ~ x +", "the formula ends", "       ^"},
		{"y + z ~ x", "one response", "  ^"},
		{"y ~ x ~ z", "a second ~", "      ^"},
		{"y ~ x z", "an operator is missing", "      ^"},
		{"y ~ x | g", "stands in brackets", "      ^"},
		{"y ~ (x", "not closed", "      ^"},
		{"y ~ x)", "closes nothing", "     ^"},
		{"y ~ log(x", "the brackets of log are not closed", "         ^"},
		{"y ~ `x", "is not closed", "    ^"},
		{"y ~ x $ z", "means nothing", "      ^"},
		{"y ~ 2", "a number is no term", "    ^"},
		{"y ~ 24h", "a number is no term", "    ^"},
		{"y ~ 24k", "no unit of time", "    ^"},
		{"y ~ 'x'", "stands in backticks", "    ^"},
		{"y ~ x ** 0", "a power from 1 to 10", "         ^"},
		{"y ~ 0:x", "0 is added", "    ^"},
		{"y ~ lgo(x)", `no function is named "lgo"`, "    ^"},
		{"y ~ a + center(x)", "needs the mean of all rows", "        ^"},
		{"y ~ scale(x)", "needs mean and deviation", "    ^"},
		{"y ~ lag(x)", "no order between shards", "    ^"},
		{"y ~ C(a, contr.sum)", "C(x, [a, b], baseline=a", "         ^"},
		{"y ~ C(a, contr.sum())", "contr.treatment", "         ^"},
		{"y ~ C(a, [p])", "two or more", "         ^"},
		{"y ~ C(a, [p, p])", "listed twice", "             ^"},
		{"y ~ C(a, [p, q], baseline=r)", "none of the levels p, q", "                          ^"},
		{"y ~ C(a, other=keep)", "level, drop or reject", "               ^"},
		{"y ~ C(log(a))", "takes a column", "      ^"},
		{"y ~ C(month(at), [jan, feb])", "those of the calendar", "                 ^"},
		{"y ~ poly(x, 2, raw=False)", "raw powers", "                   ^"},
		{"y ~ poly(x)", "poly needs x, degree", "    ^"},
		{"y ~ poly(x, 99)", "from 1 to 20", "            ^"},
		{"y ~ bs(x, df=4)", "give knots", "             ^"},
		{"y ~ bs(x, knots=[1])", "needs lower_bound and upper_bound", "    ^"},
		{"y ~ bs(x, knots=[3, 2], lower_bound=0, upper_bound=9)", "knots rise", "                    ^"},
		{"y ~ season(at, 24, 0)", "from 1 to 20", "                   ^"},
		{"y ~ season(at, 0h, 1)", "above 0", "               ^"},
		{"y ~ I(weekday(at) > 2)", "a factor and no number", "      ^"},
		{"y ~ I(weekday(at) == 'lundi')", "weekdays are mon, tue", "                     ^"},
		{"y ~ hour(log(at))", "takes a column of times", "         ^"},
		{"y ~ log(poly(x, 2))", "a term of its own", "        ^"},
		{"y ~ I(x > 'a')", "== or !=", "      ^"},
		{"y ~ (0 + x | g)", "groups have an intercept", "    ^"},
		{"y ~ (1 | g):x", "stands by itself", "    ^"},
		{"y ~ (1 | g) + (1 | g)", "has a group term already", "                   ^"},
		{"y ~ (1 | a:b)", "named by one column", "         ^"},
		{"y ~ (a:b | g)", "a slope is one number", "     ^"},
		{"y ~ x - (1 | g)", "are added", "      ^"},
		{"y ~ offset(a) + offset(b)", "a second offset", "                ^"},
		{"poly(y, 2) ~ x", "the response is a number", "^"},
		{"é ~ ß $", "means nothing", "      ^"},
	} {
		_, err := Parse(c.formula)
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", c.formula, err)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 3 || !strings.Contains(lines[0], c.says) || lines[1] != "  "+c.formula || lines[2] != "  "+c.caret {
			t.Errorf("%s: want %q at\n  %s\n%v", c.formula, c.says, c.caret, err)
		}
	}
}

// Everything has a bound.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ formula, says string }{
		{"y ~ " + strings.Repeat("x+", longest) + "x", "it has at most"},
		{"y ~ " + strings.Repeat("(", 60) + "x" + strings.Repeat(")", 60), "nested more than"},
		{"y ~ I(" + strings.Repeat("-", 60) + "x)", "nested more than"},
		{"y ~ " + strings.Repeat("log(", 60) + "x" + strings.Repeat(")", 60), "nested more than"},
		{"y ~ (a+b+c+d+e+f+g+h+i+j+k+l+m+n+o)**10", "more than 10000 terms"},
		{"y ~ \xff", "not UTF-8"},
		{"y ~ I(1e999)", "float64"},
	} {
		if _, err := Parse(c.formula); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.40s: %v", c.formula, err)
		}
	}
	b := table(t)
	for _, c := range []struct {
		formula, says string
		limit         int
	}{
		{"y ~ C(a, [p, q]):C(b, [p, q]):C(c, [p, q]):C(d, [p, q]):C(e, [p, q]):C(f, [p, q]):C(g, [p, q]):C(h, [p, q]):C(i, [p, q])", "at most 6", 0},
		{"y ~ C(promo, [p, q, r]):C(weather, [p, q, r]):price", "more than 10 columns of coefficients, the limit; C(promo, ['p', 'q', 'r']):C(weather, ['p', 'q', 'r']):price has 4 x 4 x 1: " +
			"merge rare levels, or add them up (C(promo, ['p', 'q', 'r']) + C(weather, ['p', 'q', 'r']) + price), or raise limits.columns", 10},
		{"y ~ C(promo, [p, q, r])", "the limit; C(promo, ['p', 'q', 'r']) has 3: merge rare levels, or make them groups, (1 | C(promo, ['p', 'q', 'r'])), or raise limits.columns", 2},
		{"y ~ poly(price, 11)", "more than 10 columns of coefficients, the limit; poly(price, 11) has 11: ask for fewer, or raise limits.columns", 10},
	} {
		if _, err := parse(t, c.formula).Begin(b, c.limit, false); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.formula, err)
		}
	}
}

// An expression is printed as Python would.
func TestCanonicalText(t *testing.T) {
	for written, want := range map[string]string{
		"y ~ I( (a+b) * 2^-c )":                              "I((a + b) * 2 ** (-c))",
		"y ~ I(a-(b-c)-d)":                                   "I(a - (b - c) - d)",
		"y ~ I(-(a+b)**2)":                                   "I(-(a + b) ** 2)",
		"y ~ I((a**b)**c ** d)":                              "I((a ** b) ** c ** d)",
		"y ~ I((a<b)==(c>=d))":                               "I((a < b) == (c >= d))",
		`y ~ I(a=="it's")`:                                   `I(a == "it's")`,
		"y ~ log(`a b`+007 + 1.50 +1e3+1e-9)":                "log(`a b` + 7 + 1.5 + 1000.0 + 1e-09)",
		"y ~ C(a,[x, 'y z', 3, true],baseline=x,other=drop)": "C(a, ['x', 'y z', 3, True], baseline='x', other='drop')",
		"y ~ season(at,24h,2)":                               "season(at, 24h, 2)",
		"y ~ a > 3":                                          "a > 3",
		"y ~ {a}":                                            "a",
	} {
		f := parse(t, written)
		if got := f.explicit[0].label; got != want {
			t.Errorf("%s: %s, want %s", written, got, want)
		}
		if !strings.HasPrefix(want, "C(") && !strings.HasPrefix(want, "season(") {
			want = "{" + want + "}"
		}
		again := parse(t, "y ~ "+want)
		want = strings.Trim(want, "{}")
		if got := again.explicit[0].label; got != want {
			t.Errorf("%s again: %s", want, got)
		}
	}
}

func TestRoles(t *testing.T) {
	f := parse(t, "log(sold) ~ 0 + price + offset(log(visitors)) + (1 + price + log(age) | shop) + (1 | `big day`)")
	r := f.Roles()
	if r.Response.Name != "log(sold)" || r.Exposure != "visitors" || r.Intercept || len(r.Groups) != 2 ||
		r.Groups[0].Column != "shop" || !slices.Equal(r.Groups[0].Slopes, []string{"price", "log(age)"}) || r.Groups[1].Column != "big day" {
		t.Errorf("%+v", r)
	}
	if got := f.Columns(); !slices.Equal(got, []string{"sold", "price", "shop", "age", "big day", "visitors"}) {
		t.Errorf("columns %q", got)
	}
	for text, want := range map[string]bool{"y ~ 1": false, "y ~ (1 | g)": false, "y ~ x": true, "y ~ .": true, "y ~ 0 + offset(x)": false} {
		if parse(t, text).Features() != want {
			t.Error(text)
		}
	}
	for text, want := range map[string]string{"y ~ exposure(n)": "n", "y ~ offset(a + 1)": "exp(a + 1)", "y ~ offset(np.log(n * 2))": "n * 2"} {
		if got := parse(t, text).Roles().Exposure; got != want {
			t.Errorf("%s: exposure %s", text, got)
		}
	}
}

// Any text is refused or read, and what is read prints on one line and is read again.
func FuzzParse(f *testing.F) {
	for _, want := range expectations(f) {
		f.Add(want.Formula)
	}
	f.Add("y ~ a*b - (1|g) + offset(log(n)) + C(x, [a, 'b'], other=drop) + season(at, 24h, 2)")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := Parse(text)
		if err != nil {
			if s := err.Error(); s == "" || !utf8.ValidString(s) {
				t.Errorf("%q", s)
			}
			return
		}
		again, err := Parse(read.String())
		if err != nil {
			t.Fatalf("%q: %v", read, err)
		}
		if len(again.terms) != len(read.terms) || again.intercept != read.intercept {
			t.Errorf("%q reads as another formula", read)
		}
		for i, a := range read.explicit {
			if a.key != again.explicit[i].key {
				t.Errorf("%q and %q", a.key, again.explicit[i].key)
			}
		}
		b := table(t)
		d, err := read.Begin(b, 200, false)
		if err != nil {
			return
		}
		var room any
		if out, err := d.Derive(b, &room); err == nil && out.Rows != b.Rows {
			t.Error("rows")
		}
		if _, err := read.Restore(d.Settled(), 200); err != nil {
			t.Errorf("%q: %v", read, err)
		}
	})
}
