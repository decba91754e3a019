package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"

	"github.com/credence-stream/credence/research/study"
)

// drawnFor are the figures that fixed results are enough for.
var drawnFor = map[string][]string{
	"linear":      {"densities", "accuracy"},
	"dlm":         {"densities", "accuracy"},
	"probit-long": {"accuracy", "long"},
	"adult":       {"accuracy", "window"},
}

// pageOf returns one figure of the data before it is drawn.
func pageOf(what string, d *Data) (*page, string) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.what == what })
	return kinds[i].page(d)
}

func TestFiguresAreImagesThatNameTheirMethods(t *testing.T) {
	for experiment, whats := range drawnFor {
		d, dir := fixed(experiment), t.TempDir()
		files, _, err := Write(dir, d)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, what := range whats {
			name := experiment + "-" + what
			want = append(want, name+".png", name+".svg")
			p, _ := pageOf(what, d)
			checkPNG(t, read(t, dir, name+".png"), name, p)
			checkSVG(t, read(t, dir, name+".svg"), name, p)
		}
		if !slices.Equal(files, want) {
			t.Errorf("%s: drew %v, want %v", experiment, files, want)
		}
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkPNG checks the size of an image, and that its corner is white and each
// method's colour in its legend.
func checkPNG(t *testing.T, b []byte, name string, p *page) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if size, high := img.Bounds().Size(), int(p.height()*dpi/72); size.X != 1200 || size.Y < high || size.Y > high+1 {
		t.Errorf("%s has %v pixels, want 1200 x %d", name, size, high)
	}
	seen := map[[3]uint32]bool{}
	for y := range int((margin + p.legend(draw.Canvas{})) * dpi / 72) {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
		}
	}
	if r, g, b, a := img.At(0, 0).RGBA(); r&g&b&a != 0xffff {
		t.Errorf("%s: the background is not white", name)
	}
	for _, method := range p.methods() {
		c := looks[rank(method)].colour
		if !seen[[3]uint32{uint32(c.R), uint32(c.G), uint32(c.B)}] {
			t.Errorf("%s: no pixel of %s", name, method)
		}
	}
}

// checkSVG checks that a drawing is well formed, names every method once and
// every axis, lies within its page and does not say when it was made.
func checkSVG(t *testing.T, b []byte, name string, p *page) {
	t.Helper()
	var texts []string
	for dec := xml.NewDecoder(bytes.NewReader(b)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c, ok := token.(xml.CharData); ok {
			if s := strings.TrimSpace(string(c)); s != "" {
				texts = append(texts, s)
			}
		}
	}
	count := func(s string) (n int) {
		for _, text := range texts {
			if text == s {
				n++
			}
		}
		return n
	}
	for _, method := range p.methods() {
		if n := count(looks[rank(method)].label); n != 1 {
			t.Errorf("%s names %s %d times", name, method, n)
		}
	}
	for i := range p.panels {
		one := &p.panels[i]
		for _, s := range []string{one.title, one.x.label, one.y.label} {
			if s != "" && count(s) == 0 {
				t.Errorf("%s does not say %q", name, s)
			}
		}
	}
	for _, note := range p.notes {
		if count(note) != 1 {
			t.Errorf("%s does not say %q", name, note)
		}
	}
	if m := regexp.MustCompile(`20\d\d-\d\d|\d\d:\d\d`).Find(b); m != nil {
		t.Errorf("%s tells the time: %s", name, m)
	}
	if bytes.Contains(b, []byte("Liberation Sans;")) {
		t.Errorf("%s has no other font", name)
	}
}

func TestSameResultsGiveTheSameBytes(t *testing.T) {
	for _, experiment := range []string{"linear", "adult"} {
		one, two := t.TempDir(), t.TempDir()
		for _, dir := range []string{one, two} {
			if _, _, err := Write(dir, fixed(experiment)); err != nil {
				t.Fatal(err)
			}
		}
		for _, what := range drawnFor[experiment] {
			for _, ending := range []string{".png", ".svg"} {
				name := experiment + "-" + what + ending
				if !bytes.Equal(read(t, one, name), read(t, two, name)) {
					t.Errorf("%s differs from itself", name)
				}
			}
		}
	}
}

func TestNothingIsDrawnWithoutItsData(t *testing.T) {
	metric := func(name string) func(*study.Result) bool {
		return func(r *study.Result) bool { return strings.HasPrefix(r.Metric, name) }
	}
	early := func(r *study.Result) bool { return r.T < 500 }
	unfinished := func(r *study.Result) bool { return r.T < 1600 }
	other := func(r *study.Result) bool { return strings.Contains(r.Method, "[") }
	undrawn := func(d *Data) *Data { d.Drawn = nil; return d }
	stuck := func(d *Data) *Data {
		for i := range d.Drawn {
			d.Drawn[i].Draws = []float64{2, 2, 2}
		}
		return d
	}
	for _, c := range []struct {
		what string
		data *Data
		says string
	}{
		{"densities", fixed("probit-1"), "the experiment compares no draws"},
		{"densities", undrawn(fixed("linear")), "the experiment compares no draws"},
		{"densities", stuck(fixed("linear")), "no draws have a spread"},
		{"accuracy", without(fixed("linear"), metric("accuracy")), "there are no accuracies"},
		{"accuracy", without(fixed("linear"), early), "accuracies are of one shard only"},
		{"window", without(fixed("adult"), other), "no C-DF rule ran with two windows"},
		{"long", without(fixed("probit-long"), unfinished), "no C-DF rule has results at two shards"},
		// A figure of another experiment is not missed.
		{"window", fixed("linear"), ""},
		{"long", fixed("linear"), ""},
	} {
		if p, says := pageOf(c.what, c.data); p != nil || says != c.says {
			t.Errorf("%s of %s: page %v, says %q, want %q", c.what, c.data.Experiment, p, says, c.says)
		}
	}
	dir := t.TempDir()
	files, missing, err := Write(dir, undrawn(without(fixed("linear"), early)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"no figure linear-densities: the experiment compares no draws",
		"no figure linear-accuracy: accuracies are of one shard only",
	}
	if left, _ := os.ReadDir(dir); !slices.Equal(missing, want) || len(files)+len(left) > 0 {
		t.Errorf("says %q and draws %v, has drawn %v", missing, files, left)
	}
}

func TestCheckRefusesWhatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	if err := Check(filepath.Join(dir, "a", "b")); err != nil {
		t.Errorf("a directory that can be made: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "a", "b")); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		closed = "/proc" // where not even root can make a file
	}
	for _, path := range []string{file, filepath.Join(file, "below"), closed} {
		if err := Check(path); err == nil {
			t.Errorf("nothing can be written in %s", path)
		}
	}
}
