package deadletters

import (
	"errors"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// What is sent again stops behind a loss, as shards of a producer do.
func TestReplayStopsAtALoss(t *testing.T) {
	if err := newPublisher(nil).OnLost(pipeline.Partition{Topic: "in"}, false, pipeline.ErrLost); !errors.Is(err, pipeline.ErrLost) {
		t.Errorf("error %v", err)
	}
}
