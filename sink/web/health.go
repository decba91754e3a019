package web

import "net/http"

// health is the body of /livez and /readyz.
type health struct {
	Status  string   `json:"status"`
	Reasons []string `json:"reasons,omitempty"`
}

// live says that the process answers. A halted partition or an outage is no
// reason to restart it, so it never says anything else.
func (s *Server) live(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, health{Status: "live"})
	return nil
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if reasons := s.options.Ready(); len(reasons) > 0 {
		writeJSON(w, http.StatusServiceUnavailable, health{Status: "not ready", Reasons: reasons})
		return nil
	}
	writeJSON(w, http.StatusOK, health{Status: "ready"})
	return nil
}
