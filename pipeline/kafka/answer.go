package kafka

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/pipeline"
)

// answer is the part of a fetch answer about one partition.
type answer struct {
	code     int16
	stable   int64 // last stable offset
	high     int64 // high watermark
	aborted  []aborted
	records  []byte
	first    pipeline.LeaderEpoch // of the first batch, once decoded
	throttle time.Duration        // over the quota, so that nothing is no proof of absence
	absent   bool                 // throttled so that the partition was left out
}

// none says that the broker looked and had no batch.
func (a *answer) none() bool { return len(a.records) == 0 && a.throttle == 0 && !a.absent }

type aborted struct{ producer, first int64 }

// appendFetch writes a request for one partition, by the topic's id from version
// 13 on.
func appendFetch(m *message, version int16, p pipeline.Partition, topic topicID, from int64, maxBytes int32, wait time.Duration) {
	m.int32(-1) // no replica
	m.int32(int32(wait.Milliseconds()))
	m.int32(1) // bytes to wait for
	// One partition, one limit: its own. kfake leaves out the aborted
	// transactions when it is this one that ends an answer.
	m.int32(math.MaxInt32)
	m.int8(readCommitted)
	m.int32(0)  // no session
	m.int32(-1) // nor a new one
	m.count(1)
	if version >= fetchByID {
		m.id(topic)
	} else {
		m.text(p.Topic)
	}
	m.count(1)
	m.int32(p.ID)
	m.int32(noEpoch) // of the present leader
	m.int64(from)
	if version >= fetchFlexible {
		m.int32(noEpoch) // of what was fetched: Follow looks itself
	}
	m.int64(-1) // no log of our own
	m.int32(maxBytes)
	m.end()
	m.end()
	m.count(0) // nothing to forget
	m.text("") // rack
	m.end()
}

// topicName is how requests and answers name a topic: by its id from version 13
// on, by its name before.
type topicName struct {
	id   topicID
	name string
}

// appendWatch writes a request that is answered as soon as a partition has
// records at its offset, with next to none of these.
func appendWatch(m *message, version int16, from map[topicName]map[int32]int64) {
	m.int32(-1) // no replica
	m.int32(int32(watchWait.Milliseconds()))
	m.int32(1) // bytes to wait for
	m.int32(1) // bytes of the answer
	m.int8(readCommitted)
	m.int32(0)  // no session
	m.int32(-1) // nor a new one
	m.count(len(from))
	for t, partitions := range from {
		if version >= fetchByID {
			m.id(t.id)
		} else {
			m.text(t.name)
		}
		m.count(len(partitions))
		for id, offset := range partitions {
			m.int32(id)
			m.int32(noEpoch) // of the present leader
			m.int64(offset)
			if version >= fetchFlexible {
				m.int32(noEpoch) // of what was fetched
			}
			m.int64(-1) // no log of our own
			m.int32(1)  // byte
			m.end()
		}
		m.end()
	}
	m.count(0) // nothing to forget
	m.text("") // rack
	m.end()
}

// Versions of fetch.
const (
	fetchFlexible = 12
	fetchByID     = 13
)

// parseAnswer reads an answer about p, known by topic from version 13 on.
func parseAnswer(r fields, version int16, p pipeline.Partition, topic topicID) (answer, error) {
	throttle := time.Duration(max(0, r.int32())) * time.Millisecond
	if code := r.int16(); code != 0 {
		return answer{}, kafka.Error(code)
	}
	r.int32() // session
	topics := r.count()
	if topics == 0 && throttle > 0 && !r.short {
		return answer{throttle: throttle, absent: true}, nil
	}
	if version >= fetchByID {
		if id := r.id(); topics != 1 || id != topic {
			return answer{}, fmt.Errorf("an answer about %d topics, %q", topics, id)
		}
	} else if name := r.text(); topics != 1 || name != p.Topic {
		return answer{}, fmt.Errorf("an answer about %d topics, %q", topics, name)
	}
	if n, id := r.count(), r.int32(); n != 1 || id != p.ID {
		return answer{}, fmt.Errorf("an answer about %d partitions, %d", n, id)
	}
	a := parseState(&r)
	a.throttle = throttle
	slices.SortStableFunc(a.aborted, func(x, y aborted) int { return cmp.Compare(x.first, y.first) })
	a.records = r.bytes()
	if r.short {
		return answer{}, errors.New("a short fetch answer")
	}
	return a, nil
}

// parseState reads what an answer says of a partition before its records.
func parseState(r *fields) (a answer) {
	a.code = r.int16()
	a.high = r.int64()
	if a.stable = r.int64(); a.stable < 0 {
		a.stable = a.high
	}
	r.int64() // log start
	n := r.count()
	for i := 0; i < n && !r.short; i++ {
		a.aborted = append(a.aborted, aborted{producer: r.int64(), first: r.int64()})
		r.end()
	}
	r.int32() // preferred replica
	return a
}

// skimAnswer reads an answer about many partitions as it comes, and past their
// records.
func skimAnswer(r *fields, version int16) (_ map[topicName]map[int32]answer, throttle time.Duration, _ error) {
	throttle = time.Duration(r.int32()) * time.Millisecond
	if code := r.int16(); code != 0 {
		r.skip(r.left) // the connection stays in order
		return nil, throttle, kafka.Error(code)
	}
	r.int32() // session
	all := map[topicName]map[int32]answer{}
	for topics := r.count(); topics > 0 && !r.short; topics-- {
		var t topicName
		if version >= fetchByID {
			t.id = r.id()
		} else {
			t.name = r.text()
		}
		partitions := map[int32]answer{}
		for n := r.count(); n > 0 && !r.short; n-- {
			id := r.int32()
			partitions[id] = parseState(r)
			r.skip(r.count())
			r.end()
		}
		all[t] = partitions
		r.end()
	}
	r.end()
	if r.err != nil {
		return nil, throttle, r.err
	}
	if r.short || r.left > 0 {
		return nil, throttle, errors.New("a fetch answer of another length")
	}
	return all, throttle, nil
}
