package web

import (
	"mime"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/pipeline"
)

// negotiate returns the encoder that the Accept headers like best, the first
// one when they do not say, nil when they like none. Among equals the earlier
// encoder wins.
func negotiate(accept []string, encoders []pipeline.Encoder) pipeline.Encoder {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	if strings.TrimSpace(strings.Join(ranges, "")) == "" {
		return encoders[0]
	}
	var best pipeline.Encoder
	bestQ := 0.0
	for _, e := range encoders {
		if q := quality(ranges, e.ContentType()); q > bestQ {
			best, bestQ = e, q
		}
	}
	return best
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

func offered(encoders []pipeline.Encoder) string {
	names := make([]string, len(encoders))
	for i, e := range encoders {
		names[i] = e.ContentType()
	}
	return strings.Join(names, ", ")
}
