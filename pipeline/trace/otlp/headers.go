package otlp

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

// headers reads a file of headers, one a line as "Name: value", which are secrets for the
// collector. Empty lines, and lines that begin with #, say nothing. A file that says nothing is an error: the collector
// would refuse what is sent without them, or take it for someone else's.
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
		if !ok || value == "" || !token(name) {
			return nil, fmt.Errorf("%s, line %d: not of the form \"Name: value\"", file, i+1)
		}
		h.Add(name, value)
	}
	if len(h) == 0 {
		return nil, fmt.Errorf("%s has no headers: write them into it, one a line as \"Name: value\", or take the setting that names it out", file)
	}
	return h, nil
}

// token reports a name that a header may have: a mark of byte order before it is not seen, and no client would send it.
func token(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
