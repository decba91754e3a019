package web

import (
	"net/http"
	"net/http/pprof"
	"strings"
)

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

// profiles returns what answers below /debug/pprof/ where that is asked for, else next.
// A profile that takes longer than the server lets an answer take is refused.
func (s *Server) profiles(next http.Handler) http.Handler {
	if !s.options.Pprof {
		return next
	}
	named := map[string]http.HandlerFunc{"cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.EscapedPath(), pprofPath)
		switch h := named[name]; {
		case !ok:
			next.ServeHTTP(w, r)
		case !needAll.met(scopeOf(r)):
			s.failed(w, r, needAll.check(r))
		case h != nil:
			h(w, r)
		default:
			pprof.Index(w, r)
		}
	})
}
