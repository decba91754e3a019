package main

import (
	"bytes"
	"strings"
	"testing"
)

// The name by which the file was started decides which program it is.
func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"credence": "credence demo", "consumer": "consumer demo", "producer": "Send shards",
	} {
		var out, messages bytes.Buffer
		if code := named(name, nil, &out, &messages)(t.Context(), nil); code != 0 || messages.Len() > 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit %d, %q\n%s", name, code, messages.String(), out.String())
		}
	}
}
