package web

import (
	"encoding/json"
	"net/http"
	"strings"
)

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
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// A client that went away is not the server's failure.
	_, _ = w.Write(append(body, '\n'))
}

// jsonErrors gives the plain text errors of http.ServeMux, a path that is
// unknown or a method that is not allowed, the form of all others.
func jsonErrors(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(&rewriter{ResponseWriter: w, method: r.Method, path: r.URL.Path}, r)
	})
}

type rewriter struct {
	http.ResponseWriter
	method, path string
	rewritten    bool
}

func (w *rewriter) WriteHeader(status int) {
	text := strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")
	switch {
	case text && status == http.StatusNotFound:
		w.rewritten = true
		writeError(w.ResponseWriter, status, "not_found", "nothing at "+w.path)
	case text && status == http.StatusMethodNotAllowed:
		w.rewritten = true
		writeError(w.ResponseWriter, status, "method_not_allowed", w.method+" is not possible here")
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *rewriter) Write(b []byte) (int, error) {
	if w.rewritten {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *rewriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
