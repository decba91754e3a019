package connect

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	kafkago "github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/depend"
)

// What the publisher of a worker tells of is in the log, with the place and what to do, and the work goes on.
func TestLostOutputsAreLogged(t *testing.T) {
	c := configtest.Parse(t, "kafka: {brokers: ['127.0.0.1:1']}\nmodels: [{match: '**', kind: linear}]")
	n, err := Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	var text bytes.Buffer
	p := n.newPublisher(c, slog.New(slog.NewTextHandler(&text, nil)))
	if err := p.OnLost(pipeline.Partition{Topic: "posteriors", ID: 3}, true, fmt.Errorf("%w: all of it", pipeline.ErrLost)); err != nil {
		t.Errorf("the worker stops: %v", err)
	}
	p.OnRepeats(errors.New("not authorized"))
	for _, want := range []string{
		`level=ERROR msg="outputs may be lost" topic=posteriors partition=3 advice="`, "unclean.leader.election.enable=false", "all of it",
		`level=WARN msg="outputs may repeat"`, "IDEMPOTENT_WRITE", "not authorized",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, text.String())
		}
	}
}

// A topic that is not there is an outage that names its remedy, also in the readiness; other answers of brokers, as while others join, are none.
func TestMissingTopicIsAnOutage(t *testing.T) {
	watch := depend.New(prometheus.NewRegistry(), slog.New(slog.DiscardHandler), depend.Kafka)
	n := &Connection{watch: watch}
	lines := depend.NewLines(slog.New(slog.DiscardHandler), "kafka-go", slog.LevelInfo)
	n.outside(kafkago.RebalanceInProgress, lines)
	if why := watch.Why(pipeline.GroupMember); why != nil {
		t.Errorf("waits while others join: %q", why)
	}
	n.outside(fmt.Errorf("topic shards: %w: %w", pipeline.ErrNoTopic, kafkago.UnknownTopicOrPartition), lines)
	if why := watch.Why(pipeline.GroupMember); len(why) != 1 || !strings.Contains(why[0], "topic shards") {
		t.Errorf("what keeps it from work is %q", why)
	}
}
