package otlp

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

// headers reads a file of headers, one a line as "Name: value", which are secrets for the
// collector. Empty lines, and lines that begin with #, say nothing.
func headers(file string) (http.Header, error) {
	h := http.Header{}
	if file == "" {
		return h, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("%s, line %d: not of the form \"Name: value\"", file, i+1)
		}
		h.Add(name, value)
	}
	return h, nil
}
