package main

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ends returns the offset after the last record of each partition that has any.
// (With one more module, franz-go's kadm, it is one call: ListEndOffsets.)
func ends(ctx context.Context, client *kgo.Client, topic string) (map[int32]int64, error) {
	about := kmsg.NewPtrMetadataRequest()
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = kmsg.StringPtr(topic)
	about.Topics = append(about.Topics, asked)
	metadata, err := about.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	if err := kerr.ErrorForCode(metadata.Topics[0].ErrorCode); err != nil {
		return nil, fmt.Errorf("topic %s: %w", topic, err)
	}
	const oldest, newest = -2, -1 // times that stand for the log's two ends
	starts, err := offsets(ctx, client, &metadata.Topics[0], oldest)
	if err != nil {
		return nil, err
	}
	left, err := offsets(ctx, client, &metadata.Topics[0], newest)
	if err != nil {
		return nil, err
	}
	for partition, end := range left {
		if end <= starts[partition] {
			delete(left, partition)
		}
	}
	return left, nil
}

// offsets returns the offset of each partition at a time.
func offsets(ctx context.Context, client *kgo.Client, topic *kmsg.MetadataResponseTopic, at int64) (map[int32]int64, error) {
	request := kmsg.NewPtrListOffsetsRequest()
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = *topic.Topic
	for _, p := range topic.Partitions {
		asked := kmsg.NewListOffsetsRequestTopicPartition()
		asked.Partition, asked.Timestamp = p.Partition, at
		t.Partitions = append(t.Partitions, asked)
	}
	request.Topics = append(request.Topics, t)
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	found := map[int32]int64{}
	for _, t := range response.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, fmt.Errorf("topic %s, partition %d: %w", t.Topic, p.Partition, err)
			}
			found[p.Partition] = p.Offset
		}
	}
	return found, nil
}
