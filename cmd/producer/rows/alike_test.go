package rows

import (
	"fmt"
	"testing"
)

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
		{nil, `[]`},
	} {
		if got := fmt.Sprintf("%+q", Alike(c.texts)); got != c.want {
			t.Errorf("%q: %s, want %s", c.texts, got, c.want)
		}
	}
}
