package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// problem is an error that the client is told as it is.
type problem struct {
	status        int
	code, message string
}

func (p *problem) Error() string { return p.message }

// refuse returns a problem. The message says what was wrong and what to do.
func refuse(status int, code, format string, args ...any) error {
	return &problem{status, code, fmt.Sprintf(format, args...)}
}

// later refuses for a time.
func later(w http.ResponseWriter, seconds int, code, format string, args ...any) error {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return refuse(http.StatusServiceUnavailable, code, format+"; try again later", args...)
}

// failure is the body of every error.
type failure struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	var f failure
	f.Error.Code, f.Error.Message = code, message
	writeJSON(w, status, f)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"unprintable answer"}}`)
	}
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that went away is not the server's failure.
	_, _ = w.Write(append(body, '\n'))
}

// handler answers a request. An error must come before the first byte.
type handler func(w http.ResponseWriter, r *http.Request) error

// failed tells the client what kind of failure it was and the log the rest:
// messages of the store name hosts that are no business of a client.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	if errors.As(err, &p) {
		// Also where the context is over, as it is after a body that did not come.
		writeError(w, p.status, p.code, p.message)
		return
	}
	if r.Context().Err() != nil {
		return // nobody is there to read an answer
	}
	s.options.Logger.Warn("request not answered", slog.String("path", r.URL.Path), slog.Any("error", err))
	if errors.Is(err, pipeline.ErrDamaged) {
		writeError(w, http.StatusInternalServerError, "damaged_state", "stored state cannot be read: the commands get KEY and check say why")
		return
	}
	if errors.Is(err, cdf.ErrNumeric) {
		writeError(w, http.StatusUnprocessableEntity, "not_finite", "the posterior has numbers that no float64 holds: "+err.Error())
		return
	}
	w.Header().Set("Retry-After", strconv.Itoa(1))
	writeError(w, http.StatusServiceUnavailable, "unavailable", "the checkpoint store or Kafka does not answer, try again")
}
