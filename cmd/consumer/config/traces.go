package config

import "net/url"

// Traces is the section traces: where spans go, and which. Without an endpoint none are made.
type Traces struct {
	// Endpoint is the URL of a collector that speaks OTLP over HTTP.
	Endpoint string `yaml:"endpoint"`
	// Sample is the share of the traces that begin in this process; others are sampled as
	// who began them says.
	Sample float64 `yaml:"sample"`
	// Keys has spans tell the keys of records.
	Keys        bool      `yaml:"keys"`
	Service     string    `yaml:"service"`
	HeadersFile string    `yaml:"headers_file"`
	TLS         TracesTLS `yaml:"tls"`
}

// TracesTLS is the section traces.tls, for https endpoints.
type TracesTLS struct {
	CAFile   string `yaml:"ca_file"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

func (t *Traces) check(wrong report) {
	if !(t.Sample >= 0 && t.Sample <= 1) {
		wrong("traces.sample: %v is not from 0 to 1", t.Sample)
	}
	if t.Service == "" {
		wrong("traces.service: empty; collectors sort spans by it")
	}
	checkPair(wrong, "traces.tls", t.TLS.CertFile, t.TLS.KeyFile)
	if t.Endpoint == "" {
		if t.HeadersFile != "" || t.TLS != (TracesTLS{}) {
			wrong("traces.endpoint is empty, but traces.headers_file or traces.tls is set: nothing would be sent")
		}
		return
	}
	u, err := url.Parse(t.Endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		wrong("traces.endpoint: %q is not a URL such as http://collector:4318", hideSecrets(t.Endpoint))
	case u.User != nil:
		wrong("traces.endpoint: %q has a user in it: traces.headers_file has what the collector asks for", hideSecrets(t.Endpoint))
	case u.Port() == "4317":
		wrong("traces.endpoint: %q has the port of OTLP over gRPC, which is not spoken: OTLP over HTTP has 4318", t.Endpoint)
	case u.Scheme == "http" && t.TLS != (TracesTLS{}):
		wrong("traces.endpoint is %q, but keys of traces.tls are set: https is with TLS", t.Endpoint)
	}
}
