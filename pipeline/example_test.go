package pipeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// A worker takes its group, log, publisher and store as interfaces: Kafka and
// Redis in the consumer, memory here.
func ExampleNew() {
	kind, _ := models.Lookup("linear")
	spec, err := kind.Spec("", cdf.Roles{Intercept: true}, nil)
	if err != nil {
		panic(err)
	}
	rules, err := pipeline.NewRules([]pipeline.Rule{{Match: "shop/*", Spec: spec}},
		pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 10, Groups: 10, Summary: 1 << 20})
	if err != nil {
		panic(err)
	}
	kafka := &pipelinetest.Kafka{Log: []pipeline.Record{
		{Offset: 0, Key: []byte("shop/1"), Value: pipelinetest.Shard(rand.New(rand.NewPCG(1, 1)))},
	}}
	w, err := pipeline.New(pipeline.Options{
		Topic: "in", Group: kafka, Log: kafka, Publisher: kafka, Store: storetest.NewMemory(), Rules: rules,
		Interval: 10 * time.Millisecond, Records: 100, Bytes: 1 << 20, Inflight: 1 << 24, Cache: 1 << 24,
		Heartbeat: time.Second, Flush: 10 * time.Second,
		NewDecoder: func() pipeline.Decoder { return new(pipelinetest.Decoder) },
		NewOutputs: func() pipeline.Outputs { return pipelinetest.Outputs{} },
		Metrics:    pipeline.NewMetrics(prometheus.NewRegistry(), "example"), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	if err := w.UntilEnd(ctx); err != nil { // of what is in the topic now
		panic(err)
	}
	stop()
	if err := <-ended; err != nil {
		panic(err)
	}
	for _, o := range kafka.Sent {
		fmt.Println(o.Topic, string(o.Key), strings.Fields(string(o.Value))[:2])
	}
	fmt.Println("committed:", kafka.Commits[len(kafka.Commits)-1])
	// Output:
	// out shop/1 [t=1 n=30]
	// committed: 1
}
