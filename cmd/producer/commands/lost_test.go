package commands

import (
	"errors"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// A producer sends no shard behind those that its brokers have lost.
func TestProducerStopsAtALoss(t *testing.T) {
	b, err := dial(t.Context(), connection{Brokers: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close() //nolint:errcheck // it has no connection
	if err := b.(*cluster).OnLost(pipeline.Partition{Topic: "in"}, true, pipeline.ErrLost); !errors.Is(err, pipeline.ErrLost) { //nolint:forcetypeassert // made here
		t.Errorf("error %v", err)
	}
}
