package commands

import (
	"context"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// maxMessage is what a topic made here takes in one record: as much as the
// consumer's limits.record.
const maxMessage = 32 << 20

// encode writes the columns of a shard as an Arrow stream.
func encode(b *cdf.Batch) ([]byte, error) { return arrow.Encode(b) }

// dial prepares a connection. It reads the files that the flags name and does
// not connect.
func dial(_ context.Context, c connection) (broker, error) {
	client, err := kafka.New(kafka.Options{
		Brokers:  c.Brokers,
		ClientID: "credence-producer",
		TLS:      c.TLS,
		SASL:     c.SASL,
		Keys:     access.Keys{CA: "--tls-ca", Cert: "--tls-cert", Key: "--tls-key", Name: "--tls-server-name"},
	})
	if err != nil {
		return nil, err
	}
	log, err := kafka.NewLog(client, maxMessage)
	if err != nil {
		_ = client.Close()
		return nil, err
	}
	publisher := kafka.NewPublisher(client, kafka.LZ4)
	publisher.OnLost = kafka.StopAtLoss
	return &cluster{client, log, publisher}, nil
}

// cluster is a Kafka cluster. Publisher chooses partitions by murmur2 of the
// key, as every producer of the topic must.
type cluster struct {
	client *kafka.Client
	log    *kafka.Log
	*kafka.Publisher
}

func (c *cluster) EnsureTopic(ctx context.Context, topic string, partitions int) (bool, error) {
	// Describe alone would need a right that sending doesn't.
	if n, err := c.log.Partitions(ctx, topic); err == nil && n > 0 {
		return false, nil
	}
	state, err := c.client.Describe(ctx, topic)
	switch {
	case err != nil:
		return false, err
	case state.Exists:
		return false, nil
	case partitions == 0:
		return false, errNoTopic
	}
	return true, c.client.Create(ctx, kafka.InputTopic(topic, partitions, maxMessage))
}

func (c *cluster) Close() error { return c.client.Close() }
