package commands

import (
	"io"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// A topic is the same whichever of the two programs makes it.
func TestTopicsAreMadeAsTheConsumerMakesThem(t *testing.T) {
	if record := config.Default().Limits.Record; int64(record) != maxMessage {
		t.Errorf("a topic takes %d bytes in a record, limits.record are %d", maxMessage, record)
	}
	for _, c := range New(cli.Apart(), io.Discard, io.Discard).Commands() {
		if got := c.Flags().Lookup("partitions").DefValue; got != strconv.Itoa(connect.Partitions) {
			t.Errorf("%s makes %s partitions, the consumer %d", c.Name(), got, connect.Partitions)
		}
	}
}
