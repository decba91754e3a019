package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/credence-stream/credence/pipeline"
)

// unknownTopicID is an error that kafka-go has no name for.
const unknownTopicID = kafka.Error(100)

// Identity implements pipeline.Log. Brokers before 2.8 give topics no ids.
func (l *Log) Identity(ctx context.Context, p pipeline.Partition, epoch pipeline.LeaderEpoch) (pipeline.Identity, error) {
	r, err := l.client.route(ctx, p.Topic, true)
	if err != nil {
		return pipeline.Identity{}, err
	}
	i := pipeline.Identity{Topic: r.id.String()}
	if epoch > 0 {
		i.EpochEnd, err = l.epochEnd(ctx, p, epoch)
	}
	return i, err
}

// Follow implements pipeline.Log. Brokers from 3.1 on are asked by the topic's
// id and so never answer with another topic's records; older ones by its name.
//
// It waits with as little stack as it can: there are many partitions that have
// nothing.
func (l *Log) Follow(ctx context.Context, p pipeline.Partition, at pipeline.Position, maxBytes int, room *pipeline.Room) (pipeline.Fetched, error) {
	n, err := l.wait(ctx, p, at)
	if err != nil || !n.more {
		return pipeline.Fetched{Next: at.Offset, End: n.stable, High: n.high}, err
	}
	return l.followed(ctx, p, at, maxBytes, room)
}

// followed is Follow where there may be something.
func (l *Log) followed(ctx context.Context, p pipeline.Partition, at pipeline.Position, maxBytes int, room *pipeline.Room) (pipeline.Fetched, error) {
	f, first, err := l.read(ctx, p, at, maxBytes, room)
	if errors.Is(err, unknownTopicID) {
		now, ierr := l.Identity(ctx, p, 0)
		if ierr == nil && now.Topic != at.Topic {
			err = fmt.Errorf("fetch %s from %d: %w: its id is %s, not %s", p, at.Offset, pipeline.ErrAnotherLog, now.Topic, at.Topic)
		}
	}
	if err != nil || at.Epoch == 0 || first == 0 || first == at.Epoch {
		return f, err
	}
	// Another leader wrote what comes: does it follow what was read?
	end, err := l.epochEnd(ctx, p, at.Epoch)
	if err != nil {
		return pipeline.Fetched{}, err
	}
	if end < at.Read {
		return pipeline.Fetched{}, fmt.Errorf("fetch %s from %d: %w: leader epoch %d was read to %d and ends at %d now",
			p, at.Offset, pipeline.ErrAnotherLog, at.Epoch-1, at.Read, end)
	}
	return f, nil
}

func appendEpochEnd(m *message, version int16, p pipeline.Partition, epoch pipeline.LeaderEpoch) {
	if version >= 3 {
		m.int32(-1) // no replica
	}
	m.count(1)
	m.text(p.Topic)
	m.count(1)
	m.int32(p.ID)
	m.int32(noEpoch) // of the present leader
	m.int32(int32(epoch) - 1)
}

// epochEnd returns the offset after the last record of a leader epoch, or of the
// newest one below it; -1 where the log has had none so high.
func (l *Log) epochEnd(ctx context.Context, p pipeline.Partition, epoch pipeline.LeaderEpoch) (end int64, err error) {
	err = l.client.toLeader(ctx, p, callTimeout, func(n *conn) error {
		version, err := n.version(protocol.OffsetForLeaderEpoch)
		if err != nil {
			return err
		}
		var req message
		appendEpochEnd(&req, version, p, epoch)
		raw, err := n.callRaw(protocol.OffsetForLeaderEpoch, version, &req, callTimeout, nil, anew)
		if err != nil {
			return err
		}
		r := fields{rest: raw}
		r.int32() // throttled
		topics, topic := r.count(), r.text()
		partitions, code, id := r.count(), r.int16(), r.int32()
		r.int32() // the epoch that the offset is of
		end = r.int64()
		switch {
		case r.short || topics != 1 || topic != p.Topic || partitions != 1 || id != p.ID:
			return errors.New("an answer about other partitions")
		case code != 0:
			return kafka.Error(code)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("end of leader epoch %d: %w", epoch-1, err)
	}
	return end, nil
}
