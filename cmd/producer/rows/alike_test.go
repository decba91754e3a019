package rows

import (
	"fmt"
	"testing"
)

// What tells a text from another is seen in quotes.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"Z\u00fcrich": `"Zürich"`, "Zu\u0308rich": `"Zu\u0308rich"`, "New\u00a0York": `"New\u00a0York"`, "a\u200b": `"a\u200b"`, "a b": `"a b"`,
	} {
		if got := Quoted(text); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"Berlin", "Rome", "berlin ", "BERLIN"}, `[["Berlin" "berlin " "BERLIN"]]`},
		{[]string{"New York", "new  york", "Newyork"}, `[["New York" "new  york"]]`},
		{[]string{"Z\u00fcrich", "Zu\u0308rich"}, `[["Z\u00fcrich" "Zu\u0308rich"]]`},
		{[]string{"007", "7", "70", "0", "00"}, `[["007" "7"] ["0" "00"]]`},
		{[]string{"A1", "A01", "a", "b", "-1", "1", "1.0", ""}, `[]`},
		{[]string{"Berlin", "Berlin\u200b", "\ufeffBerlin", "Ber\u00adlin", "\u200eBerlin", "Berlin\u2060x"}, `[["Berlin" "Berlin\u200b" "\ufeffBerlin" "Ber\u00adlin" "\u200eBerlin"]]`},
		{nil, `[]`},
	} {
		if got := fmt.Sprintf("%+q", Alike(c.texts)); got != c.want {
			t.Errorf("%q: %s, want %s", c.texts, got, c.want)
		}
	}
}
