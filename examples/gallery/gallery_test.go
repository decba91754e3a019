package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// reference is what an independent computation makes of a finding: medians and
// bounds that the posterior's may miss by a share of the interval's width, or of
// the value where there is no interval.
type reference struct {
	median, lo, hi float64
	share          float64
}

// references compute the findings of every scenario from its data alone.
var references = map[string]func(*testing.T, *rows) map[string]reference{
	"penguins": penguinReference, "radon": radonReference, "nile": nileReference,
	"birdstrikes": strikeReference, "meat": meatReference, "horsekicks": kickReference,
	"flights": flightReference,
}

var built *programs

func TestMain(m *testing.M) {
	var err error
	if built, err = build(context.Background(), os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	built.remove()
	os.Exit(code)
}

// ran runs each scenario once for all tests.
var ran = func() map[string]func() (*result, error) {
	out := map[string]func() (*result, error){}
	for i := range scenarios {
		out[scenarios[i].name] = sync.OnceValues(func() (*result, error) {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			return built.run(ctx, &scenarios[i], io.Discard)
		})
	}
	return out
}()

// each calls f with every scenario and its result.
func each(t *testing.T, f func(*testing.T, *scenario, *result)) {
	for i := range scenarios {
		s := &scenarios[i]
		t.Run(s.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("-short: the programs are other processes, which the race detector does not see")
			}
			r, err := ran[s.name]()
			if err != nil {
				t.Fatal(err)
			}
			f(t, s, r)
		})
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// stated is a number as a page writes it.
type stated string

// holds reports whether the number is v to the digits that it has.
func (s stated) holds(v float64) bool {
	_, decimals, _ := strings.Cut(string(s), ".")
	got, err := strconv.ParseFloat(string(s), 64)
	return err == nil && math.Abs(got-v) <= .5*math.Pow(10, -float64(len(decimals)))+1e-9
}

// row is a row of a page's table of findings.
type row struct{ median, lo, hi stated }

var tableRow = regexp.MustCompile(`(?m)^\| (\S[^|]*?) +\| (-?[0-9.]+) +\| (?:(-?[0-9.]+) to (-?[0-9.]+))? *\|$`)

// parseTable returns the rows of the table of findings by their names.
func parseTable(page string) map[string]row {
	out := map[string]row{}
	for _, m := range tableRow.FindAllStringSubmatch(page, -1) {
		out[m[1]] = row{stated(m[2]), stated(m[3]), stated(m[4])}
	}
	return out
}

// TestPagesStateWhatIsFound compares every number in the table of every page
// with the posterior and with the reference.
func TestPagesStateWhatIsFound(t *testing.T) {
	each(t, func(t *testing.T, s *scenario, r *result) {
		page := parseTable(read(t, filepath.Join(s.name, "README.md")))
		refs := references[s.name](t, r.rows)
		found := s.findings(r)
		if len(page) != len(found) || len(refs) != len(found) {
			t.Errorf("%d rows on the page, %d references, %d findings", len(page), len(refs), len(found))
		}
		for _, f := range found {
			says, on := page[f.name]
			ref, known := refs[f.name]
			if !on || !known {
				t.Errorf("%q is on the page: %t, has a reference: %t", f.name, on, known)
			}
			if !says.median.holds(f.median) {
				t.Errorf("%s: the page says %s, the posterior %g", f.name, says.median, f.median)
			}
			if math.IsNaN(f.lo) {
				if says.lo != "" {
					t.Errorf("%s: the page states an interval that is none", f.name)
				}
				if !(math.Abs(f.median-ref.median) <= ref.share*math.Abs(ref.median)) {
					t.Errorf("%s: found %g, reference %g", f.name, f.median, ref.median)
				}
				continue
			}
			if !says.lo.holds(f.lo) || !says.hi.holds(f.hi) {
				t.Errorf("%s: the page says %s to %s, the posterior %g to %g", f.name, says.lo, says.hi, f.lo, f.hi)
			}
			wide := ref.hi - ref.lo
			miss := max(math.Abs(f.median-ref.median), math.Abs(f.lo-ref.lo), math.Abs(f.hi-ref.hi)) / wide
			t.Logf("%s: %.4g (%.4g to %.4g), reference %.4g (%.4g to %.4g), miss %.3f", f.name, f.median, f.lo, f.hi, ref.median, ref.lo, ref.hi, miss)
			if !(miss <= ref.share) {
				t.Errorf("%s: found %g (%g to %g), reference %g (%g to %g): off by %.3f of its width", f.name,
					f.median, f.lo, f.hi, ref.median, ref.lo, ref.hi, miss)
			}
		}
	})
}

// told are the numbers that a page's conclusions may use beside those of its
// table: counts that tests find in the data, a date, the level of the EPA.
var told = map[string][]string{
	"penguins":    {"333"},
	"radon":       {"85", "4"},
	"nile":        {"1900"},
	"birdstrikes": {"90", "200"},
	"meat":        {"100"},
	"horsekicks":  {"14"},
	"flights":     {"2.5", "15", "800"},
}

var number = regexp.MustCompile(`[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?`)

// TestConclusionsUseTheTable finds numbers in the conclusions of a page that
// its table, which is checked, does not have.
func TestConclusionsUseTheTable(t *testing.T) {
	for i := range scenarios {
		s := &scenarios[i]
		page := read(t, filepath.Join(s.name, "README.md"))
		known := slices.Concat([]string{"0", "1", "50", "95"}, told[s.name])
		for _, m := range tableRow.FindAllString(page, -1) {
			known = append(known, number.FindAllString(m, -1)...)
		}
		text := tableRow.ReplaceAllString(section(t, page, "What to conclude"), "")
		if len(number.FindAllString(text, -1)) < 3 {
			t.Errorf("%s: hardly a number in %q", s.name, text)
		}
		for _, n := range number.FindAllString(text, -1) {
			if !slices.Contains(known, strings.ReplaceAll(n, ",", "")) {
				t.Errorf("%s: %s is not in the table", s.name, n)
			}
		}
	}
}

// section returns the text below a heading.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, ok := strings.Cut(page, "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("there is no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// TestPagesCount compares what pages count with the data.
func TestPagesCount(t *testing.T) {
	for name, counts := range map[string]func(*rows) []string{
		"penguins": func(d *rows) []string { return []string{fmt.Sprintf("%d penguins", len(d.fields))} },
		"radon": func(d *rows) []string {
			c := radonMeans(&result{rows: d})
			return []string{
				fmt.Sprintf("%d houses", len(d.fields)), fmt.Sprintf("all %d counties", len(c)), "one had " + itoa(c["ST LOUIS"].houses),
			}
		},
		"birdstrikes": func(d *rows) []string {
			slow, n := 0, len(d.fields)
			for _, v := range d.number("speed") {
				if v < 90 {
					slow++
				}
			}
			return []string{fmt.Sprintf("%d,%03d strikes", n/1000, n%1000), fmt.Sprintf("%d strikes below 90 knots", slow)}
		},
		"meat": func(d *rows) []string {
			return []string{fmt.Sprintf("%d samples", len(d.fields)), fmt.Sprintf("%d wavelengths", len(d.names)-1)}
		},
		"flights": func(d *rows) []string {
			n := len(d.fields)
			return []string{fmt.Sprintf("%d,%03d flights", n/1000, n%1000)}
		},
		"horsekicks": func(d *rows) []string {
			sum := 0.
			for _, v := range d.number("deaths") {
				sum += v
			}
			return []string{fmt.Sprintf("%g deaths in %d corps", sum, len(corps(&result{rows: d})))}
		},
	} {
		i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })
		data, err := load(filepath.Join(name, scenarios[i].file))
		if err != nil {
			t.Fatal(err)
		}
		page := strings.Join(strings.Fields(read(t, filepath.Join(name, "README.md"))), " ")
		for _, want := range counts(data) {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
	}
}

// TestPictures draws every picture again.
func TestPictures(t *testing.T) {
	each(t, func(t *testing.T, s *scenario, r *result) {
		p := s.picture(r)
		if wide := letters(titleSize).Width(p.title); wide > pageWidth-2*margin {
			t.Errorf("the title is %.0f points wide, the page has %.0f", wide, pageWidth-2*margin)
		}
		picture, err := p.svg()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := s.picture(r).svg(); err != nil || !bytes.Equal(picture, again) {
			t.Errorf("the same posteriors give another picture (%v)", err)
		}
		// Bits of posteriors are promised for one architecture.
		if runtime.GOARCH == "amd64" && read(t, filepath.Join(s.name, "picture.svg")) != string(picture) {
			t.Error("picture.svg is not what the data give: run go run ./examples/gallery " + s.name)
		}
	})
}

// TestPagesAreWhole checks what else every page and every SOURCE.md says.
func TestPagesAreWhole(t *testing.T) {
	index := read(t, "README.md")
	for i := range scenarios {
		s := &scenarios[i]
		page := read(t, filepath.Join(s.name, "README.md"))
		for _, want := range []string{
			"# " + s.question, "](SOURCE.md)", "go run ./examples/gallery " + s.name + "\n", "](picture.svg)",
			"```yaml\n" + read(t, filepath.Join(s.name, "credence.yaml")) + "```",
			"\n## What to conclude\n", "\n## When not to use it\n", "docs/models/" + s.kind + ".md",
			"bin/consumer run --config " + s.folder() + "/credence.yaml --until-end\n",
			"bin/consumer tail --config " + s.folder() + "/credence.yaml --from beginning --until-end\n",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: README.md lacks %q", s.name, want)
			}
		}
		for _, d := range s.sends {
			if want := "bin/producer " + strings.Join(s.arguments(d), " ") + " --brokers 127.0.0.1:9092\n"; !strings.Contains(
				regexp.MustCompile(` \\\n +`).ReplaceAllString(page, " "), want) {
				t.Errorf("%s: README.md lacks %q", s.name, want)
			}
		}
		if !strings.Contains(index, `src="`+s.name+`/picture.svg"`) || !strings.Contains(index, s.question) {
			t.Errorf("README.md of the gallery lacks the picture or the question of %s", s.name)
		}
		file := filepath.Join(s.name, s.file)
		data, err := load(file)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, fields := range append([][]string{data.names}, data.fields...) {
			text.WriteString(strings.Join(fields, ",") + "\n")
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text.String()))); !strings.Contains(read(t, filepath.Join(s.name, "SOURCE.md")), sum) {
			t.Errorf("%s: SOURCE.md does not have the checksum %s of the data", s.name, sum)
		}
		if info, err := os.Stat(file); err != nil || info.Size() > 200_000 {
			t.Errorf("%s: %d bytes (%v), want at most 200,000", file, info.Size(), err)
		}
	}
}

// TestCommand runs the command line where it needs no servers.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "name a scenario"},
		{[]string{"amazon"}, 2, `there is no scenario "amazon"`},
		{[]string{"-nothing"}, 2, "flag provided but not defined"},
		{[]string{"-out", filepath.Join(t.TempDir(), "none"), "penguins"}, 1, "none"},
	} {
		var out, messages bytes.Buffer
		if code := execute(t.Context(), c.args, &out, &messages); code != c.code || !strings.Contains(messages.String(), c.says) {
			t.Errorf("%q: exit code %d, want %d with %q; said\n%s", c.args, code, c.code, c.says, messages.String())
		}
	}
}
