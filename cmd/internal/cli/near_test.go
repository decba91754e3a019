package cli

import (
	"slices"
	"testing"
)

func TestNear(t *testing.T) {
	names := []string{"ATL", "Usage", "USA", "usb", "USC/north", "Österreich", "xyz"}
	for word, want := range map[string][]string{
		"Usa": {"USA", "usb", "Usage"}, "usc": {"USA", "usb", "USC/north"}, "österreich": {"Österreich"}, "ALT": {"ATL"},
		"q": nil, "": nil, "USA": {"usb", "Usage"}, "nothing like it": nil,
	} {
		if got := Near(word, names, 3); !slices.Equal(got, want) {
			t.Errorf("near %q: %q, want %q", word, got, want)
		}
	}
}

func TestSuggestWhateverTheCase(t *testing.T) {
	if got := Suggest("b", []string{"A", "B"}); got != `, did you mean "B"?` {
		t.Error(got)
	}
}
