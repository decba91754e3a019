package try

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/consumer/run"
	shows "github.com/credence-stream/credence/cmd/consumer/show"
	"github.com/credence-stream/credence/cmd/producer/rows"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// holdings is what a cluster holds: its groups, its topics, and where their partitions
// end.
func holdings(t *testing.T, access ...kgo.Opt) []string {
	t.Helper()
	c, err := kgo.NewClient(access...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	groups, err := kmsg.NewPtrListGroupsRequest().RequestWith(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, g := range groups.Groups {
		all = append(all, "group "+g.Group)
	}
	topics, err := kmsg.NewPtrMetadataRequest().RequestWith(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics.Topics {
		ask := kmsg.NewPtrListOffsetsRequest()
		ask.ReplicaID = -1
		of := kmsg.NewListOffsetsRequestTopic()
		of.Topic = *topic.Topic
		for _, p := range topic.Partitions {
			at := kmsg.NewListOffsetsRequestTopicPartition()
			at.Partition, at.Timestamp = p.Partition, -1
			of.Partitions = append(of.Partitions, at)
		}
		ask.Topics = append(ask.Topics, of)
		ends, err := ask.RequestWith(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range ends.Topics[0].Partitions {
			all = append(all, fmt.Sprintf("topic %s, partition %d, end %d", *topic.Topic, p.Partition, p.Offset))
		}
	}
	slices.Sort(all)
	return all
}

// A topic is learnt from without a trace in its cluster, to the bit as run does on its
// own servers, and goes on live.
func TestATopicIsReadAndNothingElse(t *testing.T) {
	env, file, kept := real(t), sales(t, 2000), filepath.Join(t.TempDir(), "kept.yaml")
	plain := filepath.Join(t.TempDir(), "plain.yaml")
	if err := os.WriteFile(plain, []byte(`models: [{match: "**", kind: linear}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	conn := connected(t, env, plain)
	if err := conn.Client.Create(t.Context(), kafka.InputTopic("sales", 3, 1<<20)); err != nil {
		t.Fatal(err)
	}
	src, err := rows.Open(t.Context(), file, rows.Selection{KeyColumn: "shop"}, rows.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	sender := conn.NewSender("sales", 0)
	for shard, err := range rows.Shards(src, 10) {
		if err == nil {
			err = sender.Send(t.Context(), shard)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := sender.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	bad := []pipeline.Output{{Topic: "sales", Key: []byte("shop00"), Value: []byte("no shard")}}
	if _, err := kafka.NewPublisher(conn.Client, kafka.Plain).Publish(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	before := holdings(t, kgo.SeedBrokers(env.Brokers()...))

	x := begin(t, "", func(t *trial) {
		t.stays, t.ask.Topic, t.ask.Brokers, t.ask.Out = true, "sales", env.Brokers(), kept
		t.mostRead, t.mostKeys = 5, 19
	})
	page := x.until(`the live page: (\S+)`)[1]
	x.until(`reached the end in .*, 20 keys\..* 1 record became a dead letter \(decode 1\)`)
	x.until("the page stays")
	if after := holdings(t, kgo.SeedBrokers(env.Brokers()...)); !slices.Equal(before, after) {
		t.Errorf("the cluster holds\n%s\nand held\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	posteriors := map[string]string{}
	for shop := range 20 {
		key := fmt.Sprintf("shop%02d", shop)
		code, body := x.get(page, "/v1/models/"+key)
		if code != 200 {
			t.Fatalf("%s: %d %s", key, code, body)
		}
		posteriors[key] = strings.TrimSpace(body)
	}
	// What comes later is learnt from as well.
	if _, err := kafka.NewPublisher(conn.Client, kafka.Plain).Publish(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	x.eventually(page, "/v1/dead-letters", func(_ int, body string) bool { return strings.Count(body, `"stage":"decode"`) == 2 })
	x.ended()
	if !strings.Contains(x.err.String(), "2 records became dead letters (decode 2)") {
		t.Errorf("what came later is not in the account:\n%s", x.err.String())
	}
	if out := x.out.String(); !strings.Contains(out, "What was learnt about sold, from topic sales (more than 19 keys)\nEffects, doubts and flags are those of the first 5 keys by name") || strings.Contains(out, "producer replay") {
		t.Errorf("report:\n%s", out)
	}
	command(t, run.Command, append([]string{"--config", kept, "--until-end"}, onFlags(env)...)...)
	for key, got := range posteriors {
		want := strings.TrimSpace(command(t, shows.GetCommand, append([]string{key, "--config", kept, "--format", "json"}, onFlags(env)...)...))
		if got != want {
			t.Errorf("%s:\n%s\nby run on its own servers\n%s", key, got, want)
		}
	}
}

// Events of which many are none: init and try say how many are what, and where the first
// is, and learn from the others.
func TestGarbageIsCounted(t *testing.T) {
	env, plain := real(t), filepath.Join(t.TempDir(), "plain.yaml")
	if err := os.WriteFile(plain, []byte(`models: [{match: "**", kind: linear}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	conn := connected(t, env, plain)
	for _, topic := range []string{"mixed", "garbage"} {
		if err := conn.Client.Create(t.Context(), kafka.InputTopic(topic, 1, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	var all []pipeline.Output
	add := func(topic, value string) {
		all = append(all, pipeline.Output{Topic: topic, Key: []byte("k"), Value: []byte(value)})
	}
	for i := range 40 {
		add("mixed", fmt.Sprintf(`{"sold": %d.5, "price": %d}`, i%7, i%5))
		switch {
		case i%10 == 1: // offsets 2, ...
			add("mixed", fmt.Sprintf(`{"sold": %d`, i))
		case i%20 == 5:
			add("mixed", `not json`)
		case i == 30:
			add("mixed", "\x1b[31m")
		}
		add("garbage", fmt.Sprintf(`{"sold": %d`, i))
	}
	if _, err := kafka.NewPublisher(conn.Client, kafka.Plain).Publish(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--brokers", env.Brokers()[0], "--input-format", "json"}
	drafted := command(t, draft.Command, append(flags, "--topic", "mixed", "--response", "sold")...)
	for _, want := range []string{
		`# 7 of 47 records looked at are not events in json and would go to the dead letters:`,
		`\n#   4: decode: .*it ends too early.* \(the first at partition 0, offset 2\)\n#   2: decode: .*\(the first at partition 0, offset 7\)\n#   1: decode: .*\(at partition 0, offset 3\d\)\n`,
	} {
		if !regexp.MustCompile(want).MatchString(drafted) {
			t.Errorf("init does not say %s:\n%s", want, drafted)
		}
	}
	x := begin(t, "", func(t *trial) {
		t.ask.Topic, t.ask.Brokers, t.ask.Records.Format = "mixed", env.Brokers(), config.FormatJSON
	})
	<-x.done
	if x.result != nil {
		t.Fatal(x.result)
	}
	if want := `Not learnt from, .*: 7 records\n  4: .*it ends too early.* \(the first at partition 0, offset 2\)\n  2: `; !regexp.MustCompile(want).MatchString(x.out.String()) {
		t.Errorf("try does not say %s:\n%s", want, x.out.String())
	}
	if account := x.err.String(); !strings.Contains(account, "7 records became dead letters (decode 7).") || strings.ContainsRune(account+x.out.String(), '\x1b') {
		t.Errorf("the account names a command whose servers are gone:\n%s", account)
	}
	x = begin(t, "", func(t *trial) {
		t.ask.Topic, t.ask.Brokers, t.ask.Records.Format = "garbage", env.Brokers(), config.FormatJSON
	})
	<-x.done
	if want := `topic garbage: none of 40 records is an event in json:\n  40: .*ends too early.*\nCompare --input-format`; x.result == nil || !regexp.MustCompile(want).MatchString(x.result.Error()) {
		t.Errorf("%v, want %s", x.result, want)
	}
}
