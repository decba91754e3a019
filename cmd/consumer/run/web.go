package run

import (
	"net"
	"net/netip"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/version"
	"github.com/credence-stream/credence/docs"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/sink"
	"github.com/credence-stream/credence/sink/web"
)

// webOptions are those of the HTTP server.
func (s *Service) webOptions() web.Options {
	c, form := s.config, sink.JSON{}
	table := arrow.NewEncoder()
	var proxies []netip.Prefix
	for _, p := range c.HTTP.TrustedProxies {
		proxies = append(proxies, netip.MustParsePrefix(string(p))) // the configuration is checked
	}
	return web.Options{
		Listen: c.HTTP.Listen, TokenFile: c.HTTP.TokenFile, TokensFile: c.HTTP.TokensFile, TLS: web.TLS(c.HTTP.TLS), Rate: c.HTTP.Rate, Proxies: proxies,
		Ready: s.ready, Store: s, Topics: s, Feed: s.feed, Kinds: c.Kinds, Gathering: c.Input.Coalesce.Rule(),
		Forms:      map[string]sink.Form{form.ContentType(): form, table.ContentType(): table},
		Encode:     arrow.Encode,
		NewDecoder: connect.NewRows(c), Body: int64(c.Limits.Record),
		Process: web.Process{
			Version: version.Get().Version, Started: time.Now(),
			Input: c.Kafka.Input, Output: c.Kafka.Output, Group: c.Kafka.Group, DeadLetters: c.Kafka.DeadLetters,
			Memory: s.memory,
		},
		Commands: commandsOf(s.names, c), Page: web.Page(), Manual: docs.Pages,
		Metrics: s.metrics, Logger: s.logger, Pprof: c.HTTP.Pprof, Tracer: s.tracer(), TraceKeys: c.Traces.Keys,
	}
}

// Page is where the page is, "" where there is none.
func (s *Service) Page() string {
	if s.http == nil {
		return ""
	}
	return pageURL(s.http.Addr(), s.config.HTTP.TLS.CertFile != "")
}

// pageURL is where the page of a server is that listens on an address.
func pageURL(address string, encrypted bool) string {
	scheme := "http://"
	if encrypted {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return scheme + address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + net.JoinHostPort(host, port)
}
