// Package connect wires the adapters of Kafka, Redis, Arrow and events together as a
// configuration says.
package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/internal/arithmetic"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/pipeline/redis"
)

const (
	flush = 10 * time.Second // the longest that a revoked partition saves
	// Partitions is how many a topic gets that we create.
	Partitions = 4
)

// Connection is everything that commands talk to.
type Connection struct {
	Config *config.Config
	Client *kafka.Client
	Log    *kafka.Log
	Reader *Reader
	Rules  *pipeline.Rules
	Store  *redis.Store    // nil before OpenStore
	Lookup *Lookup         // nil before OpenStore
	Traces pipeline.Traces // of the worker

	watch    *depend.Watch // of what is connected to; nil: nobody looks
	unusable func(error)   // is told of files that have changed and cannot be used; nil: nobody is
	own      *kafka.Log    // of Client, which Log may not be: see ReadFrom
	other    *kafka.Client // of Log, where it is not Client
}

// Dial reads the files that the configuration names and connects to nothing.
func Dial(c *config.Config) (*Connection, error) { return dial(c, nil, nil) }

// DialWatched is Dial for a process that works for long: it looks after its dependencies,
// tells of files that have changed and cannot be used, and needs those of the store, too,
// before it begins.
func DialWatched(c *config.Config, watch *depend.Watch, unusable func(error)) (*Connection, error) {
	n, err := dial(c, watch, unusable)
	if err != nil {
		return nil, err
	}
	if err := n.storeOptions(c).Check(); err != nil {
		return nil, errors.Join(err, n.Client.Close())
	}
	return n, nil
}

func dial(c *config.Config, watch *depend.Watch, unusable func(error)) (*Connection, error) {
	if UsesEmbedded(c) {
		return nil, fmt.Errorf("kafka.brokers or redis.url is %s: these servers run inside the process of the command run, which logs their addresses when it starts", config.Embedded)
	}
	client, err := kafka.New(kafka.Options{
		Brokers: c.Kafka.Brokers,
		TLS:     kafka.TLS(c.Kafka.TLS),
		SASL:    kafka.SASL(c.Kafka.SASL),
		Begin:   beginOf(watch, depend.Kafka, kafka.Requests()),

		OnUnusable: unusable,
	})
	if err != nil {
		return nil, err
	}
	conn := &Connection{Config: c, Client: client, watch: watch, unusable: unusable}
	if conn.own, err = conn.LogUnder(int64(c.Limits.Record)); err == nil {
		conn.Log = conn.own
		conn.Rules, conn.Reader, err = newRules(c, unusable)
	}
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return conn, nil
}

// beginOf tells the watch of the requests to a dependency.
func beginOf(w *depend.Watch, of string, requests []string) func() func(string, error) {
	if w == nil {
		return nil
	}
	w.Expect(of, requests...)
	return func() func(string, error) { return w.Begin(of) }
}

// LogUnder returns a log that refuses what is too large under a limit of a
// record's value in bytes.
func (n *Connection) LogUnder(record int64) (*kafka.Log, error) {
	if record == int64(n.Config.Limits.Record) && n.own != nil {
		return n.own, nil
	}
	return kafka.NewLog(n.Client, record)
}

// Letters returns a log that reads every dead letter that the configuration
// lets a worker write.
func (n *Connection) Letters() (*kafka.Log, error) {
	return n.LogUnder(int64(max(n.Config.Limits.Record, n.Config.Limits.DeadLetter)))
}

// NewRules returns the rules of a configuration.
func NewRules(c *config.Config) (*pipeline.Rules, error) {
	rules, _, err := newRules(c, nil)
	return rules, err
}

func newRules(c *config.Config, unusable func(error)) (*pipeline.Rules, *Reader, error) {
	reader, err := newReader(c, unusable)
	if err != nil {
		return nil, nil, err
	}
	rules, err := pipeline.NewRules(RulesOf(c), LimitsOf(c))
	if err != nil {
		return nil, nil, err
	}
	return rules.Reading(reader.form()).Gathering(c.Input.Coalesce.Rule()).Tenants(tenantsOf(c)), reader, nil
}

// RulesOf pairs the globs with the models.
func RulesOf(c *config.Config) []pipeline.Rule {
	rules := make([]pipeline.Rule, len(c.Models))
	for i, m := range c.Models {
		rules[i] = pipeline.Rule{Match: m.Match, Spec: m.Spec, Units: m.Units}
	}
	return rules
}

// OpenStore opens the store of this cluster and group. Only the cluster's id
// is asked for; Redis is not connected to.
func (n *Connection) OpenStore(ctx context.Context, c *config.Config) error {
	id, err := n.Client.ClusterID(ctx)
	if err != nil {
		return err
	}
	o := n.storeOptions(c)
	o.Cluster = id
	if n.Store, err = redis.Open(o); err != nil {
		return &PermanentError{err}
	}
	n.Lookup = &Lookup{
		Reader: n.Store, Rules: n.Rules, Topic: c.Kafka.Input, Home: kafka.PartitionOf,
		Count: func(ctx context.Context) (int, error) { return n.Log.Partitions(ctx, c.Kafka.Input) },
	}
	return nil
}

// OpenStoreAlone opens the store for questions about the server itself, where no cluster says
// which keys are the group's.
func OpenStoreAlone(c *config.Config) (*redis.Store, error) {
	o := (&Connection{}).storeOptions(c)
	o.Cluster = "unknown"
	return redis.Open(o)
}

// storeOptions are those of the store, but for the cluster's id.
func (n *Connection) storeOptions(c *config.Config) redis.Options {
	return redis.Options{
		URL: c.Redis.URL, PasswordFile: c.Redis.PasswordFile, Eviction: redis.Eviction(c.Redis.Eviction),
		TLS:          access.TLS{CAFile: c.Redis.TLS.CAFile, CertFile: c.Redis.TLS.CertFile, KeyFile: c.Redis.TLS.KeyFile},
		SentinelUser: c.Redis.SentinelUsername, SentinelPasswordFile: c.Redis.SentinelPasswordFile,
		Group:      c.Kafka.Group,
		Begin:      beginOf(n.watch, depend.Redis, redis.Requests()),
		OnUnusable: n.unusable,
	}
}

// Metas returns what the store says of the partitions of a topic.
func (n *Connection) Metas(ctx context.Context, topic string, partitions int) ([]pipeline.Meta, error) {
	all := make([]pipeline.Meta, partitions)
	for id := range all {
		var err error
		if all[id], err = n.Store.Meta(ctx, pipeline.Partition{Topic: topic, ID: int32(id)}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// NobodyWorks refuses while the group has live members.
func (n *Connection) NobodyWorks(ctx context.Context) error {
	members, err := n.Client.Members(ctx, n.Config.Kafka.Group)
	if err != nil {
		return err
	}
	if len(members) > 0 {
		return fmt.Errorf("group %s has %d live members (%s): stop its consumers first; one that was killed is removed after kafka.session_timeout",
			n.Config.Kafka.Group, len(members), members[0])
	}
	return nil
}

// Close ends the connections.
func (n *Connection) Close() {
	if n.Store != nil {
		_ = n.Store.Close()
	}
	_ = n.Client.Close()
	if n.other != nil {
		_ = n.other.Close()
	}
}

// Prepare refuses a store that may lose state and makes the topics.
func (n *Connection) Prepare(ctx context.Context, c *config.Config, logger *slog.Logger) error {
	if err := n.safe(ctx, c, logger); err != nil {
		return err
	}
	if !c.Kafka.CreateTopics {
		return nil
	}
	known, err := n.own.Partitions(ctx, c.Kafka.Input)
	missing := (err != nil || known == 0) && !c.StoreInside
	if err := n.CreateTopics(ctx, c); err != nil {
		return err
	}
	if missing {
		logger.Warn("input topic created", "topic", c.Kafka.Input, "partitions", Partitions, "advice", "it did not exist: compare kafka.input with the topic that producers send to")
	}
	return nil
}

// CreateTopics creates the topics that do not exist.
func (n *Connection) CreateTopics(ctx context.Context, c *config.Config) error {
	input := kafka.InputTopic(c.Kafka.Input, Partitions, int(c.Limits.Record)+config.Headroom)
	if err := n.Client.Create(ctx, input); err != nil {
		return err
	}
	var rest []kafka.Topic
	for _, t := range c.Topics() {
		switch {
		case t.Letters:
			rest = append(rest, kafka.LetterTopic(t.Name, Partitions, int(t.AtMost)+config.Headroom))
		case !t.Input:
			rest = append(rest, kafka.OutputTopic(t.Name, Partitions, max(kafka.OutputMessageBytes, int(t.AtMost))))
		}
	}
	return n.Client.Create(ctx, rest...)
}

// NewWorker returns a worker of the group. The connection outlives it.
func (n *Connection) NewWorker(c *config.Config, metrics *pipeline.Metrics, observer pipeline.Observer, logger *slog.Logger) (*pipeline.Worker, error) {
	var roster pipeline.Roster
	var admit func(context.Context) error
	if c.Kafka.PeerTimeout > 0 {
		roster, admit = n.Store, n.admit
	}
	memory := pipeline.NewBudget(decodeBytes)
	errs, lines := depend.NewLines(logger, "kafka-go", slog.LevelInfo), depend.NewLines(logger, "kafka-go", slog.LevelDebug)
	redis.SetLog(depend.NewLines(logger, "go-redis", slog.LevelInfo).Printf)
	return pipeline.New(pipeline.Options{
		Topic: c.Kafka.Input,
		Group: kafka.NewGroup(n.Client, kafka.GroupOptions{
			Group: c.Kafka.Group, Topics: []string{c.Kafka.Input},
			Heartbeat: config.Heartbeat, Session: time.Duration(c.Kafka.SessionTimeout), Rebalance: 2 * time.Duration(c.Kafka.SessionTimeout),
			Admit: admit, OnError: func(err error) { n.outside(err, errs) },
			Lines: lines.Printf, Errors: errs.Printf,
		}),
		Log:       n.Reader.Following(n.Log),
		Publisher: n.newPublisher(c, logger),
		Store:     n.Store,
		Roster:    roster,
		Peer:      time.Duration(c.Kafka.PeerTimeout), Session: time.Duration(c.Kafka.SessionTimeout), Arithmetic: arithmetic.ID(), Topics: published(c),
		Rules:    n.Rules,
		Interval: time.Duration(c.Checkpoint.Interval), MinPause: time.Duration(c.Checkpoint.MinPause),
		Records: c.Checkpoint.Records, Bytes: int64(c.Checkpoint.Bytes),
		Inflight: int64(c.Memory.Inflight), Cache: int64(c.Memory.Cache),
		SkipGaps: c.OnGap == "skip", Heartbeat: config.Heartbeat, Flush: min(flush, time.Duration(c.Kafka.SessionTimeout)/2),
		NewDecoder: func() pipeline.Decoder { return n.Reader.Decoder(LimitsOf(c), memory) },
		NewOutputs: func() pipeline.Outputs { return NewOutputs(c, n.Rules, int(c.Limits.Summary)) },
		Observer:   observer,
		Traces:     n.Traces,
		Metrics:    metrics,
		Depend:     n.watch,
		Logger:     logger,
	})
}

// published names the topics that outputs go to.
func published(c *config.Config) string {
	var names []string
	for _, t := range c.Topics() {
		if !t.Input {
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, ",")
}

// lostAdvice says what it means that brokers have lost outputs, and what keeps it from happening again.
const lostAdvice = "states are not concerned, and the next shard of a key publishes it again; another group publishes all again. " +
	"Unless somebody deleted the topic, set unclean.leader.election.enable=false and min.insync.replicas=2 on the topic, with three replicas"

// admit returns nil when the store answers: without it a member of the group holds up the
// partitions that it gets.
func (n *Connection) admit(ctx context.Context) error {
	_, err := n.Store.Beat(ctx, "", "")
	if errors.Is(err, pipeline.ErrOtherType) {
		err = nil // it answers, and its beats keep nobody from work
	}
	switch {
	case n.watch == nil:
	case err != nil:
		n.watch.Blocked(depend.Redis, pipeline.GroupMember, err.Error())
	default:
		n.watch.Answered(depend.Redis, pipeline.GroupMember)
	}
	return err
}

// outside takes an error that keeps this process from work in its group: an outage, unless a
// broker has answered, as it does while other members join.
func (n *Connection) outside(err error, errs *depend.Lines) {
	if n.watch == nil || kafka.Answered(err) && !kafka.Forbidden(err) && !errors.Is(err, pipeline.ErrNoTopic) {
		errs.Printf("%v", err)
		return
	}
	n.watch.Blocked(depend.Kafka, pipeline.GroupMember, err.Error())
}

// newPublisher returns what sends the outputs of a worker. Dead letters are
// packed: what a bad record was packed with may have made it thousands of
// times smaller.
func (n *Connection) newPublisher(c *config.Config, logger *slog.Logger) *kafka.Publisher {
	p := kafka.NewPublisher(n.Client, kafka.Plain)
	for _, t := range c.Topics() {
		pack := kafka.Plain
		if t.Letters {
			pack = kafka.Zstd
		}
		if !t.Input {
			p.Set(t.Name, kafka.TopicRule{Pack: pack, Bound: t.Why})
		}
	}
	p.OnRepeats = func(err error) {
		logger.Warn("outputs may repeat", "advice", "those whose acknowledgement is lost are sent twice: allow this user IDEMPOTENT_WRITE on the cluster", slog.Any("error", err))
	}
	p.OnLost = func(to pipeline.Partition, _ bool, why error) error {
		logger.Error("outputs may be lost", "topic", to.Topic, "partition", to.ID, "advice", lostAdvice, slog.Any("error", why))
		return nil
	}
	return p
}

// decodeBytes is what large shards are laid out in at a time, or one of them.
const decodeBytes = 64 << 20

// NewSender returns what sends the shards of demo and try.
func (n *Connection) NewSender(topic string, rate float64) *replay.Sender {
	return replay.NewSender(replay.Options{
		Topic: topic, Run: replay.NewRun(), Rate: rate,
		Publisher: kafka.NewPublisher(n.Client, kafka.LZ4), Encode: arrow.Encode,
	})
}

// Feed returns the records of a topic.
func (n *Connection) Feed(topic string, fromEnd, untilEnd bool, notify func(string, ...any)) Feed {
	return func(ctx context.Context, visit func(*pipeline.Record) error) error {
		return n.own.Tail(ctx, topic, kafka.TailOptions{
			FromEnd: fromEnd, UntilEnd: untilEnd,
			OnError: func(err error) { notify("waiting for topic %s: %v", topic, err) },
		}, func(_ pipeline.Partition, r *pipeline.Record) error { return visit(r) })
	}
}
