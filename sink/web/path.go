package web

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

const modelsPath = "/v1/models/"

// keyLimit is the length of a key in characters that the document allows.
// No record has a key of more than 512 bytes, so longer ones are not found.
const keyLimit = 512

// keyRoutes are what follows a key in a path.
var keyRoutes = []string{"about", "calibration", "history", "predict"}

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
	if err != nil || key == "" || !utf8.ValidString(key) || utf8.RuneCountInString(key) > keyLimit {
		return "", about, refuse(http.StatusBadRequest, "bad_key", "a key is 1 to %d characters of UTF-8, percent-encoded in the path", keyLimit)
	}
	return key, about, nil
}
