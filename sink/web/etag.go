package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// writeTagged answers with a body and its ETag, or with 304 where the client
// has it. The tag is of the bytes: settings of what is published may change
// them at the same offset and fingerprint. It is weak, as compression changes
// the bytes on their way.
func writeTagged(w http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	sum := sha256.New()
	sum.Write([]byte(contentType)) //nolint:errcheck // a hash takes everything
	sum.Write(body)                //nolint:errcheck // a hash takes everything
	tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	h.Add("Vary", "Accept")
	h.Set("Cache-Control", "no-cache") // keep it, and ask whether it still holds
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", contentType)
	// A client that went away is not the server's failure.
	_, _ = w.Write(body)
}

// matches reports whether If-None-Match names the tag, by the weak comparison.
func matches(headers []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, one := range strings.Split(strings.Join(headers, ","), ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == opaque {
			return true
		}
	}
	return false
}
