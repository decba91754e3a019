package check

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/pipeline"
)

// A topic that loses records, or stands still, with one broker is found, and nothing is
// asked of a cluster of one broker, which has no more to give.
func TestCheckReplicas(t *testing.T) {
	for _, c := range []struct {
		name     string
		brokers  int
		replicas int
		insync   string
		unclean  string
		want     string // of the fixes, empty: nothing is found
		level    level
	}{
		{"as it should be", 3, 3, "2", "false", "", ""},
		{"more than it should be", 6, 4, "3", "false", "", ""},
		{"one broker", 1, 1, "1", "false", "", ""},
		{"two brokers", 2, 2, "1", "false", "", ""},
		{"one replica of two", 2, 1, "1", "false", "with 2 replicas", levelWarning},
		{"one replica", 3, 1, "1", "false", "with 3 replicas", levelWarning},
		{"two replicas of three", 3, 2, "1", "false", "with 3 replicas", levelWarning},
		{"one in sync is enough", 3, 3, "1", "false", "min.insync.replicas=2", levelWarning},
		{"all have to be in sync", 3, 3, "3", "false", "min.insync.replicas=2", levelWarning},
		{"more in sync than there are", 3, 3, "4", "false", "min.insync.replicas=2", levelError},
		{"two in sync of one", 3, 1, "2", "false", "min.insync.replicas=1", levelError},
		{"a laggard may lead", 3, 3, "2", "true", "unclean.leader.election.enable=false", levelWarning},
		{"a cluster that says neither", 3, 3, "", "", "", ""},
	} {
		s := topicState{12, c.replicas, map[string]string{"min.insync.replicas": c.insync, "unclean.leader.election.enable": c.unclean}}
		got, failed := findingsOf(t, configtest.Shortest, func(k *checker) { k.durable("shards", s, c.brokers) })
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || failed != (c.level == levelError) || !strings.Contains(got, string(c.level)) {
			t.Errorf("%s: failed %v, found %q, want %q", c.name, failed, got, c.want)
		}
	}
}

// keeping is a log whose partition 1 keeps the records from start on, an hour apart.
type keeping struct {
	start, end int64
	oldest     time.Duration // age of the first
	err        error
}

func (l keeping) Bounds(_ context.Context, p pipeline.Partition) (start, end int64, err error) {
	if p.ID != 1 {
		return 0, 9, nil
	}
	return l.start, l.end, l.err
}

func (l keeping) OffsetAt(_ context.Context, p pipeline.Partition, at time.Time) (int64, error) {
	if p.ID != 1 {
		return 0, errors.New("nothing was deleted there")
	}
	first := time.Now().Add(-l.oldest)
	for offset := l.start; offset < l.end; offset++ {
		if !first.Add(time.Duration(offset-l.start) * time.Hour).Before(at) {
			return offset, nil
		}
	}
	return l.end, nil
}

func TestCheckWhatBytesKeep(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes string
		log   keeping
		want  string
	}{
		{"no limit", "-1", keeping{5, 9, time.Hour, nil}, ""},
		{"all is there", "1000", keeping{0, 9, time.Hour, nil}, ""},
		{"two days are there", "1000", keeping{5, 90, 48 * time.Hour, nil}, ""},
		{"an hour is there", "1000", keeping{5, 9, time.Hour, nil}, "retention.bytes=-1"},
		{"all that came is gone", "1000", keeping{9, 9, time.Hour, nil}, ""},
		{"it does not say", "1000", keeping{err: errors.New("no leader")}, "allow this user"},
	} {
		s := topicState{12, 3, map[string]string{"retention.bytes": c.bytes}}
		got, failed := findingsOf(t, configtest.Shortest, func(k *checker) { k.kept(t.Context(), c.log, s) })
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || failed != (c.log.err != nil) {
			t.Errorf("%s: failed %v, found %q, want %q", c.name, failed, got, c.want)
		}
	}
}
