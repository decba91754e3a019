//go:build unix

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// secureServers are guarded ones that are reached by TLS as well.
type secureServers interface {
	guardedServers
	SecureBrokers() []string
	CA() string
}

// holdings is what the broker holds of this world: its groups, and the topics with where
// their partitions end.
func (w *guardedWorld) holdings(t *testing.T) (all []string) {
	t.Helper()
	groups, err := kmsg.NewPtrListGroupsRequest().RequestWith(t.Context(), w.kafka)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups.Groups {
		all = append(all, "group "+g.Group)
	}
	topics, err := kmsg.NewPtrMetadataRequest().RequestWith(t.Context(), w.kafka)
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics.Topics {
		all = append(all, "topic "+*topic.Topic)
		if *topic.Topic != w.input {
			continue
		}
		ask, of, at := kmsg.NewPtrListOffsetsRequest(), kmsg.NewListOffsetsRequestTopic(), kmsg.NewListOffsetsRequestTopicPartition()
		ask.ReplicaID, of.Topic, at.Timestamp = -1, w.input, -1
		of.Partitions = append(of.Partitions, at)
		ask.Topics = append(ask.Topics, of)
		ends, err := ask.RequestWith(t.Context(), w.kafka)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("end %d", ends.Topics[0].Partitions[0].Offset))
	}
	slices.Sort(all)
	return all
}

// TestTryReadsAProtectedTopic has the command try learn from a topic of a real broker by TLS and
// SASL, as a user who may read this topic and nothing else: nothing is left in the cluster. A
// broker whose certificate is not trusted, a wrong password and a topic that the user may not
// read are errors that say so.
func TestTryReadsAProtectedTopic(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		servers, ok := env.Servers.(secureServers)
		if !ok {
			t.Logf("NOT TESTED: the %s servers have no TLS", env.Backend)
			return
		}
		w := newGuardedWorld(t, env, servers)
		w.enrol(t, w.user("reader"), secret)
		if err := env.CreateTopic(t.Context(), w.input, 1, nil); err != nil {
			t.Fatal(err)
		}
		var all []*kgo.Record
		for i := range 200 {
			all = append(all, &kgo.Record{Topic: w.input, Key: []byte("k"), Value: fmt.Appendf(nil, `{"sold": %d.5, "price": %d}`, i%7*3+i%4, i%7)})
		}
		send(t, w.kafka, all...)
		before := w.holdings(t)

		try := func(password string, more ...string) programs.Ended {
			words := []string{
				"try", "--topic", w.input, "--brokers", servers.SecureBrokers()[0], "--input-format", "json", "--response", "sold", "--listen", "",
				"--set", "kafka.tls.enabled=true", "--set", "kafka.sasl.mechanism=scram-sha-512", "--set", "kafka.sasl.username=" + w.user("reader"),
				"--set", "kafka.sasl.password_file=" + password,
			}
			return programs.Run(t, filepath.Join(binaries, "consumer"), append(words, more...)...)
		}
		wrong := filepath.Join(w.dir, "wrong")
		if err := os.WriteFile(wrong, []byte("not it"), 0o600); err != nil {
			t.Fatal(err)
		}
		trusted := []string{"--set", "kafka.tls.ca_file=" + servers.CA()}
		refused := func(name, why string, got programs.Ended) {
			t.Helper()
			if got.Code == 0 || !strings.Contains(strings.ToLower(got.Messages), why) {
				t.Errorf("%s: exit %d, does not say %q: %s", name, got.Code, why, programs.Last(got.Messages))
			}
		}
		refused("without permission", "authoriz", try(w.password, trusted...))
		w.grant(t, permission{"reader", "topic", "shards", "READ"})
		refused("without the authority", "certificate", try(w.password))
		refused("wrong password", "sasl", try(wrong, trusted...))

		got := try(w.password, trusted...)
		if got.Code != 0 || !strings.Contains(got.Data, "sold rises with price") || !strings.Contains(got.Messages, "200 records, 200 rows") {
			t.Errorf("exit %d\n%s\n%s", got.Code, got.Data, programs.Last(got.Messages))
		}
		if after := w.holdings(t); !slices.Equal(before, after) {
			t.Errorf("the cluster holds\n%s\nand held\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
		}
	})
}
