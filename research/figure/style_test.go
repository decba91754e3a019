package figure

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/research/study"
)

// Methods can be told apart without colours in all figures, and by colours in
// those of an experiment.
func TestMethodsCanBeToldApart(t *testing.T) {
	shapes, labels := map[string]string{}, map[string]string{}
	for i := range looks {
		l := &looks[i]
		shape := fmt.Sprintf("%v %T", l.dashes, l.glyph)
		if other := shapes[shape]; other != "" {
			t.Errorf("%s looks like %s", l.method, other)
		}
		if dashed := fmt.Sprint(l.dashes); shapes[dashed] != "" {
			t.Errorf("%s is dashed like %s", l.method, shapes[dashed])
		}
		if other := labels[l.label]; other != "" {
			t.Errorf("%s is called like %s", l.method, other)
		}
		shapes[shape], shapes[fmt.Sprint(l.dashes)], labels[l.label] = l.method, l.method, l.method
	}
	for _, e := range study.All() {
		colours := map[color.NRGBA]string{}
		for i := range e.Methods {
			name := e.Methods[i].Name
			if e.Name == "adult" && strings.Contains(name, "[.") {
				continue // a window, a place on its axis
			}
			k := rank(name)
			if k < 0 {
				t.Errorf("%s: method %s has no look", e.Name, name)
				continue
			}
			if other := colours[looks[k].colour]; other != "" {
				t.Errorf("%s: %s has the colour of %s", e.Name, name, other)
			}
			colours[looks[k].colour] = name
		}
	}
}

// The palette is that of Okabe and Ito, "Color Universal Design" (2008).
func TestColoursAreOfThePalette(t *testing.T) {
	palette := []string{"000000", "E69F00", "56B4E9", "009E73", "0072B2", "D55E00", "CC79A7"}
	for i := range looks {
		c := looks[i].colour
		if hex := fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B); !slices.Contains(palette, hex) || c.A != 255 {
			t.Errorf("%s is %s", looks[i].method, hex)
		}
	}
}
