package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	modelsPath = "/v1/models/"
	// askedPath has the key in the query. Browsers take . and .. out of paths,
	// escaped or not: no path names those keys.
	askedPath = "/v1/model"
)

// keyLimit is the length of a key in characters that the document allows.
// No record has a key of more than 512 bytes, so longer ones are not found.
const keyLimit = 512

// keyRoutes are what follows a key in a path.
var keyRoutes = []string{"about", "calibration", "contrast", "history", "observed", "predict"}

// splitKey takes an escaped path below /v1/models/ apart: the key, and what is
// asked about it, "" for the model itself. The end is split off before
// anything is unescaped, so that a key that itself ends in /history is asked
// for as %2Fhistory.
func splitKey(escaped string) (key, about string, err error) {
	rest := strings.TrimPrefix(escaped, modelsPath)
	for _, name := range keyRoutes {
		if before, ok := strings.CutSuffix(rest, "/"+name); ok && before != "" {
			rest, about = before, name
			break
		}
	}
	key, err = url.PathUnescape(rest)
	if err != nil || !validKey(key) {
		return "", about, refuse(http.StatusBadRequest, "bad_key", "a key is 1 to %d characters of UTF-8, percent-encoded in the path", keyLimit)
	}
	return key, about, nil
}

func validKey(key string) bool {
	return key != "" && utf8.ValidString(key) && utf8.RuneCountInString(key) <= keyLimit
}

// askedAbout tells what /v1/model and the paths below it ask about a key; ok is
// false for other paths.
func askedAbout(escaped string) (about string, ok bool) {
	if escaped == askedPath {
		return "", true
	}
	about, ok = strings.CutPrefix(escaped, askedPath+"/")
	return about, ok && slices.Contains(keyRoutes, about)
}

// askedKey takes the key out of the query of a request below askedPath. The
// request that it returns is what the handlers of a key expect.
func askedKey(r *http.Request) (*http.Request, string, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, "", refuse(http.StatusBadRequest, "bad_query", "the query can't be read: %v", err)
	}
	keys := values["key"]
	if len(keys) != 1 || !validKey(keys[0]) {
		return nil, "", refuse(http.StatusBadRequest, "bad_key", "say key=KEY once in the query; a key is 1 to %d characters of UTF-8", keyLimit)
	}
	delete(values, "key")
	without, address := *r, *r.URL
	address.RawQuery = values.Encode()
	without.URL = &address
	return &without, keys[0], nil
}
