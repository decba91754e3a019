package web

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// counted returns the answers by route and code.
func counted(t *testing.T, s *Server) map[string]float64 {
	t.Helper()
	all, err := s.options.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range all {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			switch family.GetName() {
			case "credence_http_requests_total":
				got[labels[1]+" "+labels[0]] = m.GetCounter().GetValue()
			case "credence_http_request_duration_seconds":
				got[labels[0]] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return got
}

// TestAnswersAreCounted: by route, never by key, refusals included; what may come is there
// from the start.
func TestAnswersAreCounted(t *testing.T) {
	s := newServer(t, func(o *Options) { closed(o); o.Rate = .5 })
	before := counted(t, s)
	for _, route := range []string{"/livez", "/metrics", "/v1/models", "/v1/models/{key}", "/v1/models/{key}/predict", "/v1/events", routePage, routeOther} {
		for _, code := range expectedCodes {
			if v, ok := before[route+" "+strconv.Itoa(code)]; !ok || v != 0 {
				t.Errorf("at the start %s %d is %g, there: %v", route, code, v, ok)
			}
		}
	}
	const token = "Bearer secret"
	for _, r := range []struct{ path, token, route string }{
		{"/livez", "", "/livez 200"},
		{"/metrics", token, "/metrics 200"},
		{"/metrics", "", "/metrics 401"},
		{"/v1/models/flights%2FATL", "", "/v1/models/{key} 401"},
		{"/v1/models/flights%2FATL/about", token, "/v1/models/{key}/about 429"}, // the second within the rate
		{"/v1/nothing", token, routeOther + " 429"},
		{"/nothing/of/that/kind", token, routePage + " 429"},
	} {
		was := counted(t, s)
		ask(s, http.MethodGet, r.path, "Authorization", r.token)
		now := counted(t, s)
		route, _, _ := strings.Cut(r.route, " ")
		if now[r.route] != was[r.route]+1 || now[route] != was[route]+1 {
			t.Errorf("%s: %s went from %g to %g", r.path, r.route, was[r.route], now[r.route])
		}
	}
	for name := range counted(t, s) {
		if strings.Contains(name, "ATL") {
			t.Errorf("a key is a label: %s", name)
		}
	}
}

// TestProfilesNeedTheToken: and are not there unless they are asked for.
func TestProfilesNeedTheToken(t *testing.T) {
	s := newServer(t, func(o *Options) { closed(o); o.Pprof = true })
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/goroutine", "/debug/pprof/cmdline"} {
		if status, _, _ := ask(s, http.MethodGet, path); status != 401 {
			t.Errorf("%s without the token: %d", path, status)
		}
		if status, _, body := ask(s, http.MethodGet, path, "Authorization", "Bearer secret"); status != 200 || body == "" {
			t.Errorf("%s with the token: %d", path, status)
		}
		if status, _, body := ask(newServer(t, closed), http.MethodGet, path, "Authorization", "Bearer secret"); status == 200 && !strings.Contains(body, "<html") {
			t.Errorf("%s is there, and was not asked for: %s", path, body)
		}
	}
}
