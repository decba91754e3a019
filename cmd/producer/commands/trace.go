package commands

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/internal/version"
	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline/trace"
	"github.com/credence-stream/credence/pipeline/trace/otlp"
)

// tracing says which traces shards belong to and where their spans go; the words are those
// of the consumer's configuration.
type tracing struct {
	endpoint    string
	sample      float64
	headersFile string
	caFile      string
	parent      string
}

func (t *tracing) register(f *pflag.FlagSet) {
	f.StringVar(&t.parent, "traceparent", "", "shards carry the W3C trace `CONTEXT`; with --traces their spans are under it")
	f.StringVar(&t.endpoint, "traces", "", "send a span of each shard to the OTLP/HTTP collector at `URL`, and its context with the shard")
	f.Float64Var(&t.sample, "traces-sample", 1, "`SHARE` of the shards whose traces are recorded, 0 to 1; with --traceparent its flag says it")
	f.StringVar(&t.headersFile, "traces-headers", "", "`FILE` of headers for the collector, one a line as \"Name: value\"")
	f.StringVar(&t.caFile, "traces-ca", "", "trust the certificates in `FILE` at the collector")
}

// check returns what is wrong with the flags.
func (t *tracing) check() error {
	if _, ok := trace.Parse([]byte(t.parent)); t.parent != "" && !ok {
		return fmt.Errorf("--traceparent %q: want a W3C traceparent such as 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", t.parent)
	}
	if math.IsNaN(t.sample) || t.sample < 0 || t.sample > 1 {
		return fmt.Errorf("--traces-sample %g: want 0 to 1", t.sample)
	}
	if t.endpoint == "" && t.headersFile+t.caFile != "" {
		return errors.New("--traces-headers and --traces-ca are for --traces URL")
	}
	return nil
}

// open returns how shards are traced, and what ends it when they are sent: it sends the
// last spans.
func (t *tracing) open(ctx context.Context, say func(format string, args ...any)) (replay.Tracing, func(), error) {
	var how replay.Tracing
	how.Parent, _ = trace.Parse([]byte(t.parent))
	if t.endpoint == "" {
		return how, func() {}, nil
	}
	away := false
	e, err := otlp.Open(otlp.Options{
		Endpoint: t.endpoint, HeadersFile: t.headersFile, TLS: access.TLS{CAFile: t.caFile}, Keys: access.Keys{CA: "--traces-ca"},
		Service: "credence-producer", Version: version.Get().Version, Share: t.sample,
		Trouble: func(err error) {
			if err != nil && !away {
				say("spans are not sent for now: %v", err)
			}
			away = err != nil
		},
	}, prometheus.NewRegistry())
	if err != nil {
		return how, nil, err
	}
	how.Tracer = e.Tracer()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { e.Run(ctx) })
	return how, func() {
		cancel()
		running.Wait()
	}, nil
}
