package web

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// The media types of bodies.
const (
	jsonType  = "application/json"
	arrowType = "application/vnd.apache.arrow.stream"
)

// negotiate returns the type that the Accept headers like best, the first one
// when they do not say; an error when they like none. Among equals the earlier
// type wins.
func negotiate(r *http.Request, offered ...string) (string, error) {
	ranges := strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",")
	if strings.TrimSpace(strings.Join(ranges, "")) == "" {
		return offered[0], nil
	}
	best, bestQ := "", 0.0
	for _, t := range offered {
		if q := quality(ranges, t); q > bestQ {
			best, bestQ = t, q
		}
	}
	if best == "" {
		return "", refuse(http.StatusNotAcceptable, "not_acceptable", "available: %s", strings.Join(offered, ", "))
	}
	return best, nil
}

// quality returns the q of the most specific range that covers the type.
func quality(ranges []string, contentType string) float64 {
	major, _, _ := strings.Cut(contentType, "/")
	q, specific := 0.0, 0
	for _, r := range ranges {
		media, params, err := mime.ParseMediaType(r)
		if err != nil {
			continue
		}
		rank := 0
		switch media {
		case contentType:
			rank = 3
		case major + "/*":
			rank = 2
		case "*/*":
			rank = 1
		}
		if rank <= specific {
			continue
		}
		specific, q = rank, 1
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil || !(q >= 0 && q <= 1) {
				q = 0
			}
		}
	}
	return q
}

// fromBrowser reports whether somebody looks at the answer: a page was asked
// for by its type, not by */*.
func fromBrowser(r *http.Request) bool {
	ranges := strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",")
	for _, one := range ranges {
		if media, _, err := mime.ParseMediaType(one); err == nil && media == "text/html" {
			return quality(ranges, "text/html") > 0
		}
	}
	return false
}
