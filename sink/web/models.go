package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/pipeline"
)

const (
	modelsPath = "/v1/models/"
	keyLimit   = 512 // bytes, as of a record's key
)

// models answers /v1/models/{key}.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writeError(w, http.StatusMethodNotAllowed, "method_not_allowed", r.Method+" is not possible here")
		return
	}
	key, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), modelsPath))
	if err != nil || key == "" || len(key) > keyLimit || !utf8.ValidString(key) {
		writeError(w, http.StatusBadRequest, "bad_key", fmt.Sprintf("a key is 1 to %d bytes of UTF-8, escaped as in a URL path", keyLimit))
		return
	}
	s.model(w, r, key)
}

func (s *Server) model(w http.ResponseWriter, r *http.Request, key string) {
	encoder := negotiate(r.Header.Values("Accept"), s.options.Encoders)
	if encoder == nil {
		writeError(w, http.StatusNotAcceptable, "not_acceptable", "available: "+offered(s.options.Encoders))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), lookupTimeout)
	defer cancel()
	p, err := s.options.Lookup.Posterior(ctx, key)
	if err != nil {
		s.failed(w, r, key, err)
		return
	}
	if p == nil {
		writeError(w, http.StatusNotFound, "not_found", fmt.Sprintf("no model for key %q", key))
		return
	}
	body, err := encoder.Append(nil, p, s.options.Limit)
	if err != nil {
		s.failed(w, r, key, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", encoder.ContentType())
	h.Set("Content-Length", fmt.Sprint(len(body)))
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	// A client that went away is not the server's failure.
	_, _ = w.Write(body)
}

// failed tells the client what kind of failure it was and the log the rest:
// messages of the store name hosts that are no business of a client.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, key string, err error) {
	if r.Context().Err() != nil {
		return // nobody is there to read an answer
	}
	s.options.Logger.Warn("model not read", slog.String("key", key), slog.Any("error", err))
	if errors.Is(err, pipeline.ErrDamaged) {
		writeError(w, http.StatusInternalServerError, "damaged_state", fmt.Sprintf("the stored state of key %q is damaged", key))
		return
	}
	w.Header().Set("Retry-After", "1")
	writeError(w, http.StatusServiceUnavailable, "unavailable", "the checkpoint store or Kafka does not answer, try again")
}
