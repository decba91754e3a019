package pipeline_test

import (
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// TestReadLogState: where the log has a record at the last offset that was applied,
// it is there to be compared.
func TestReadLogState(t *testing.T) {
	k := &pipelinetest.Kafka{Log: pipelinetest.Records(7, 20), Start: 5, Topic: "id"}
	for _, c := range []struct {
		at   int64
		want bool
	}{{3, false}, {5, true}, {12, true}, {19, true}, {20, false}} {
		s, err := pipeline.ReadLogState(t.Context(), k, pipeline.Partition{Topic: "in"}, pipeline.Last{Offset: c.at})
		if err != nil || s.Start != 5 || s.End != 20 || s.Identity.Topic != "id" {
			t.Fatalf("%+v, %v", s, err)
		}
		if got := s.Last != nil && s.Last.Offset == c.at; got != c.want {
			t.Errorf("offset %d: the record there is %+v", c.at, s.Last)
		}
	}
}
