package pipeline_test

import (
	"fmt"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/gather"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// BenchmarkGather is events of one row of which so many would be a shard, but for the last:
// of a key's first shard, and of rows that are steps. An event costs the same
// however many wait.
func BenchmarkGather(b *testing.B) {
	line := pipelinetest.Spec(b, cdf.Publish{Every: 1, Scale: "original", Groups: "none", Predictions: "none"})
	k, _ := models.Lookup("dlm")
	steps, err := k.Spec("", cdf.Roles{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, spec := range map[string]*cdf.Spec{"first shard": line, "steps": steps} {
		for _, rows := range []int{100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", name, rows), func(b *testing.B) {
				spec.Limits = cdf.Limits{}
				rules := pipelinetest.RulesOf(b, pipeline.Rule{Match: "k*", Spec: spec}).Gathering(gather.Rule{Rows: rows})
				for b.Loop() {
					c := rules.NewRecomputer(pipeline.Partition{Topic: "in"}, pipeline.Limits{Record: 1 << 20, Rows: 1_000_000, Columns: 10, Groups: 100_000, Summary: 1 << 20},
						func() pipeline.Decoder { return &pipelinetest.Decoder{} }, func() pipeline.Outputs { return pipelinetest.Outputs{} })
					var s *pipeline.Recomputed
					for j := range rows - 1 {
						r := pipeline.Record{Offset: int64(j), Time: 1e12, Key: []byte("k"), Value: simRows(float64(j%7), float64(j%5))}
						if s, err = c.Apply(s, &r); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*(rows-1)), "ns/event")
			})
		}
	}
}
