package run

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/live"
)

// A process that drops pasts of keys says so once, with a value of http.history that holds them.
func TestCrowdIsToldOnce(t *testing.T) {
	var out bytes.Buffer
	c := &crowdTeller{Feed: live.New(1 << 20), log: slog.New(slog.NewTextHandler(&out, nil)), limit: 1 << 20}
	const keys = 4000
	for i := range 2 * keys {
		c.Saved(pipeline.Partition{Topic: "in"}, []*pipeline.Point{{Key: fmt.Sprint(i % keys), T: int64(1 + i/keys), Offset: int64(i), Published: true}})
		if i == 100 && out.Len() > 0 {
			t.Errorf("told of %d keys: %s", i, out.String())
		}
	}
	said := out.String()
	if strings.Count(said, "\n") != 1 || !strings.Contains(said, `"pasts of keys are dropped"`) || !strings.Contains(said, `http.history="1 MiB"`) || !strings.Contains(said, "MiB for each 1,000 keys") {
		t.Errorf("said %q", said)
	}
}
