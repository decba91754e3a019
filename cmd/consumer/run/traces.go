package run

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/version"
	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/trace"
	"github.com/credence-stream/credence/pipeline/trace/otlp"
)

// exporter is who waits for the collector of traces.
const exporter = "the exporter of traces"

// openTraces returns what sends the spans of a configuration, nil where it asks for none.
func openTraces(c *config.Config, watch *depend.Watch, unusable func(error), reg prometheus.Registerer) (*otlp.Exporter, error) {
	t := c.Traces
	if t.Endpoint == "" {
		return nil, nil
	}
	return otlp.Open(otlp.Options{
		Endpoint: t.Endpoint, HeadersFile: t.HeadersFile, Service: t.Service, Version: version.Get().Version, Share: t.Sample,
		TLS: access.TLS{CAFile: t.TLS.CAFile, CertFile: t.TLS.CertFile, KeyFile: t.TLS.KeyFile}, Keys: access.KeysOf("traces.tls"),
		OnUnusable: unusable,
		Trouble: func(err error) {
			if err == nil {
				watch.Answered(depend.TraceCollector, exporter)
				return
			}
			watch.Blocked(depend.TraceCollector, exporter, err.Error())
		},
	}, reg)
}

// tracer returns what makes spans, nil where there are none.
func (s *Service) tracer() *trace.Tracer {
	if s.traces == nil {
		return nil
	}
	return s.traces.Tracer()
}

// workerTraces are those of the worker.
func (s *Service) workerTraces() pipeline.Traces {
	return pipeline.Traces{Tracer: s.tracer(), Group: s.config.Kafka.Group, Keys: s.config.Traces.Keys}
}

// export sends spans until what it returns is called: when all that makes spans has ended.
func (s *Service) export(ctx context.Context) (stop func()) {
	if s.traces == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { s.traces.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
