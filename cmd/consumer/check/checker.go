package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/redis"
)

// level says how bad a finding is.
type level string

const (
	levelOK      level = "ok"
	levelNote    level = "note"
	levelWarning level = "warning"
	levelError   level = "error"
)

// finding is one line of what `check` has to say.
type finding struct {
	Level   level  `json:"level"`
	Subject string `json:"subject"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"` // what to do about it
}

// cluster is what check asks Kafka.
type cluster interface {
	ClusterID(ctx context.Context) (string, error)
	// Advertised returns the addresses that the brokers give themselves.
	Advertised(ctx context.Context) ([]string, error)
	// Topic describes a topic; one that does not exist has no partitions.
	Topic(ctx context.Context, name string) (topicState, error)
}

// topicState is what a topic is like.
type topicState struct {
	partitions int
	replicas   int // of the partition that has fewest
	settings   map[string]string
}

// store is what check asks the checkpoint store.
type store interface {
	// Policy returns the eviction policy and whether there is an append-only
	// file.
	Policy(ctx context.Context) (eviction string, appendOnly bool, err error)
	pipeline.LayoutReader
	Meta(ctx context.Context, p pipeline.Partition) (pipeline.Meta, error)
	pipeline.Reader
}

// checker gathers findings. It is for one goroutine.
type checker struct {
	names    cli.Names
	config   *config.Config
	outage   time.Duration // the longest that the input is to outlast
	findings []finding
}

func (k *checker) add(l level, subject, fix, format string, args ...any) {
	k.findings = append(k.findings, finding{l, subject, fmt.Sprintf(format, args...), fix})
}

// fails adds an error with what it says is to be done, or, where it does not say, with a fix.
func (k *checker) fails(subject, fix string, err error) {
	wrong, remedy := access.Advice(err)
	k.add(levelError, subject, cmp.Or(remedy, fix), "%s", wrong)
}

func failure(f finding) bool { return f.Level == levelError }

func (k *checker) failed() bool { return slices.ContainsFunc(k.findings, failure) }

const dialTimeout = 5 * time.Second

// brokers dials every configured address and reports whether any answered.
func (k *checker) brokers(ctx context.Context) bool {
	reached := 0
	var refused []finding
	for _, b := range k.config.Kafka.Brokers {
		if err := dial(ctx, b); err != nil {
			refused = append(refused, finding{levelWarning, "broker " + b, err.Error(),
				"start Kafka there, or correct kafka.brokers; inside a container 127.0.0.1 is the container itself"})
			continue
		}
		reached++
		k.add(levelOK, "broker "+b, "", "can be reached")
	}
	for _, f := range refused {
		if reached == 0 {
			f.Level = levelError
		}
		k.findings = append(k.findings, f)
	}
	return reached > 0
}

// dial tells whether an address can be reached.
func dial(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// kafka asks the cluster for its id and the topics for their settings. It
// reports whether the cluster answered.
func (k *checker) kafka(ctx context.Context, c cluster) bool {
	id, err := c.ClusterID(ctx)
	if err != nil {
		k.fails("kafka", "compare kafka.tls and kafka.sasl with the listener of this port", fmt.Errorf("the brokers do not answer: %w", err))
		return false
	}
	k.add(levelOK, "kafka", "", "cluster %s answers", id)
	all, err := c.Advertised(ctx)
	if err != nil {
		k.add(levelError, "kafka", "check whether the brokers are healthy", "%v", err)
		return false
	}
	for _, t := range k.config.Topics() {
		state, err := c.Topic(ctx, t.Name)
		switch {
		case err != nil:
			k.add(levelError, "topic "+t.Name, "allow this user to describe the topic and its configuration", "%v", err)
		case state.partitions == 0:
			k.absent(t)
		default:
			k.topic(t, state, len(all))
		}
	}
	if len(all) == 1 {
		k.add(levelNote, "kafka", "", "the cluster has one broker: what its disk loses is gone, and nothing goes on while it is away; production has three, replication factor 3 and min.insync.replicas=2")
	}
	k.add(levelNote, "producers", "", "all producers of %s must choose partitions by murmur2, as Java's do (librdkafka: partitioner=murmur2_random)", k.config.Kafka.Input)
	return true
}

// store asks the store for what state depends on.
func (k *checker) store(ctx context.Context, s store) {
	const subject = "redis"
	eviction, appendOnly, err := s.Policy(ctx)
	accept := redis.Eviction(k.config.Redis.Eviction)
	severity := func(accepted bool) level {
		if accepted {
			return levelWarning
		}
		return levelError
	}
	switch {
	case eviction != "" && eviction != "noeviction":
		k.add(severity(accept == redis.AcceptLoss), subject, `CONFIG SET maxmemory-policy noeviction, and "maxmemory-policy noeviction" in redis.conf`,
			"maxmemory-policy is %s: when memory is full Redis would evict state", eviction)
	case errors.Is(err, redis.ErrCredentials):
		k.add(levelError, subject, "put the password into a file, name it in redis.password_file, and put the user, if there is one, into redis.url (redis://user@host:6379/0)", "%v", err)
		return
	case errors.Is(err, redis.ErrPolicyUnknown):
		k.add(severity(accept != redis.RefuseEviction), subject, "allow this user the command INFO (or CONFIG GET), or, if you know that the policy is noeviction, set redis.eviction: accept_unknown", "%v", err)
		return
	case err != nil:
		k.fails(subject, "start Redis, or correct redis.url and redis.password_file", err)
		return
	default:
		k.add(levelOK, subject, "", "answers, maxmemory-policy is noeviction")
	}
	if !appendOnly {
		k.add(levelWarning, subject, `CONFIG SET appendonly yes, and "appendonly yes" in redis.conf`,
			"there is no append-only file: a restart of Redis loses state, which is then rebuilt from the log as far as the log still has it")
	}
}

// partitioner looks for keys in partitions that murmur2 would not choose. A
// sample is enough: a producer with another partitioner misplaces most keys.
func (k *checker) partitioner(ctx context.Context, s store, partitions int, home func(key []byte, n int) int32) {
	const sample = 200
	if slices.ContainsFunc(k.findings, func(f finding) bool { return f.Subject == "producers" && f.Level == levelWarning }) {
		return // the newest records have told already
	}
	for id := range int32(partitions) {
		p := pipeline.Partition{Topic: k.config.Kafka.Input, ID: id}
		keys, err := s.Keys(ctx, p, "", "", sample)
		if err != nil {
			k.fails("redis", healthy(err), fmt.Errorf("keys of %s cannot be read: %w", p, err))
			return
		}
		for _, key := range keys {
			if belongs := home([]byte(key), partitions); belongs != id {
				k.add(levelWarning, "producers", "set partitioner=murmur2_random in producers made with librdkafka; then send the key's shards again to a new topic",
					"key %q is in partition %d and murmur2 puts it into %d: its shards may be spread over two models", key, id, belongs)
				return
			}
		}
	}
}

// number reads a numeric setting.
func (t topicState) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(t.settings[name], 10, 64)
	return n, err == nil
}
