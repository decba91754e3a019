package kafka

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

// TestLossIsTold: a partition that has lost what it had acknowledged is told of, once, with the first batch that comes to
// it, also where that is sent twice. Whoever is told may have nothing more sent.
func TestLossIsTold(t *testing.T) {
	stop := errors.New("no more")
	for _, tc := range []struct {
		name   string
		faults []*kerr.Error // of the first batch after the loss
		nobody bool          // producers have no ids
		anew   bool          // the topic is deleted and made anew
		answer error         // of who is told
		told   string
		want   string // the log afterwards
	}{
		{"nothing is lost", nil, false, false, nil, "[]", "0 1 2 3"},
		{"nothing is lost, an answer is", []*kerr.Error{kerr.RequestTimedOut}, false, false, nil, "[]", "0 1 2 3"},
		{"nothing is lost, an answer is, and all may repeat", []*kerr.Error{kerr.RequestTimedOut}, true, false, nil, "[]", "0 1 2 2 3"},
		{"the log begins again", nil, true, true, nil, "[true]", "2 3"},
		{"the log begins again, and an answer is lost", []*kerr.Error{kerr.RequestTimedOut}, true, true, nil, "[true]", "2 2 3"},
		{"the log begins again, and nothing more is sent", nil, true, true, stop, "[true]", "2"},
		{"the broker lacks a sequence", []*kerr.Error{kerr.OutOfOrderSequenceNumber}, false, false, nil, "[false]", "0 1 2 3"},
		{"the broker lacks a sequence, and nothing more is sent", []*kerr.Error{kerr.OutOfOrderSequenceNumber}, false, false, stop, "[false]", "0 1"},
		{"the log begins again, and lacks a sequence", nil, false, true, nil, "[false]", "2 3"},
		{"the broker has forgotten the producer", []*kerr.Error{kerr.UnknownProducerID}, false, false, nil, "[]", "0 1 2 3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := fake(t)
			c := connect(t, b.ListenAddrs())
			to := pipeline.Partition{Topic: fresh(t, c, 1)}
			p := NewPublisher(c, Plain)
			if tc.nobody {
				b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.ClusterAuthorizationFailed})
			}
			told := []bool{}
			p.OnLost = func(at pipeline.Partition, sent bool, why error) error {
				if told = append(told, sent); at != to || !errors.Is(why, pipeline.ErrLost) {
					t.Errorf("%s: %v", at, why)
				}
				if tc.answer != nil {
					return fmt.Errorf("%w: %w", tc.answer, why)
				}
				return nil
			}
			outputs := numbered(to.Topic, 4)
			send := func(o pipeline.Output) (err error) {
				for rest := []pipeline.Output{o}; len(rest) > 0; {
					if rest, err = p.Publish(t.Context(), rest); errors.Is(err, stop) {
						return err
					}
				}
				return err
			}
			for _, o := range outputs[:2] {
				if err := send(o); err != nil {
					t.Fatal(err)
				}
			}
			if tc.anew {
				drop(t, b, to.Topic)
				if err := c.Create(t.Context(), Topic{Name: to.Topic, Partitions: 1, Replication: 1}); err != nil {
					t.Fatal(err)
				}
			}
			for _, e := range tc.faults {
				b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e})
			}
			for _, o := range outputs[2:] {
				err := send(o)
				if stopped := errors.Is(err, pipeline.ErrLost); stopped != (tc.answer != nil) {
					t.Errorf("error %v", err)
				}
				if err != nil {
					break
				}
			}
			got, _ := read(t, newLog(t, c), to, 0, 1<<20)
			if values(got) != tc.want || fmt.Sprint(told) != tc.told {
				t.Errorf("the log has %q and %v was told, want %q and %s", values(got), told, tc.want, tc.told)
			}
		})
	}
}

// TestStopAtLoss: where shards lie behind a loss already, what to do is another thing than to send the rest again.
func TestStopAtLoss(t *testing.T) {
	why := fmt.Errorf("%w: in/0", pipeline.ErrLost)
	for _, sent := range []bool{false, true} {
		err := StopAtLoss(pipeline.Partition{Topic: "in"}, sent, why)
		if !errors.Is(err, pipeline.ErrLost) || strings.Contains(err.Error(), "to a new topic") != sent {
			t.Errorf("sent %v: %v", sent, err)
		}
	}
}
