package web

import (
	"net/http"
	"net/http/pprof"
	"strings"
)

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
		case h != nil:
			h(w, r)
		default:
			pprof.Index(w, r)
		}
	})
}
