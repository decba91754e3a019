package pipeline

import (
	"context"
	"errors"
	"fmt"
)

// Partition names one partition of a topic.
type Partition struct {
	Topic string
	ID    int32
}

// String returns topic/partition.
func (p Partition) String() string { return fmt.Sprintf("%s/%d", p.Topic, p.ID) }

// Header is one record header.
type Header struct {
	Key   string
	Value []byte
}

// LeaderEpoch is the epoch of the leader that wrote a record, counted from 1:
// brokers count from 0 and write -1, here 0, for what they do not know. In one
// log it never falls, and a new leader raises it.
type LeaderEpoch int32

// Record is one record of the input log. Its bytes are not written to before
// Fetched.Free gives them up.
type Record struct {
	Offset  int64
	Epoch   LeaderEpoch
	Time    int64  // milliseconds since 1970, as in the log
	Key     []byte // nil: null
	Value   []byte // nil: null, a tombstone
	Headers []Header
	// Refused, when not nil, stands for a record whose bytes were too costly
	// to unpack or to keep: it has an offset and nothing else, and goes to the dead
	// letters without a value.
	Refused error
	// Schema is what a log that asks for schemas found its value to be written by,
	// for the decoder.
	Schema any

	loan *loan // of its bytes; nil: they are its own
}

// Header returns the value of the last header with the given key.
func (r *Record) Header(key string) ([]byte, bool) { return lastOf(r.Headers, key) }

// lastOf returns the value of the last header with a key.
func lastOf(headers []Header, key string) ([]byte, bool) {
	for i := len(headers) - 1; i >= 0; i-- {
		if headers[i].Key == key {
			return headers[i].Value, true
		}
	}
	return nil, false
}

// Size returns the bytes that the record holds in memory.
func (r *Record) Size() int64 { return sizeOf(r.Key, r.Value, r.Headers) }

// sizeOf is what a record or output takes in memory, about.
func sizeOf(key, value []byte, headers []Header) int64 {
	n := int64(len(key)+len(value)) + 96
	for _, h := range headers {
		n += int64(len(h.Key)+len(h.Value)) + 40
	}
	return n
}

// Fetched is the answer to one fetch.
type Fetched struct {
	Records []Record // offsets ascending, none below the one asked for; the caller's to keep
	// Next is the offset to ask for next: above every record, also above
	// control records and aborted transactions that were left out.
	Next int64
	// End is the offset after the last record that may be read now.
	End int64
	// High is the offset after the last record that is replicated: above End
	// where a transaction is open. 0: not known.
	High int64
	// Epoch is that of the newest batch read, 0 where none was or where it has
	// none, and Read the offset after that batch.
	Epoch LeaderEpoch
	Read  int64
	// Lack is what is missing of the offsets up to Next.
	Lack Lack
	// Free, if it is not nil, gives the bytes of the records to a later fetch. It is
	// called once, when nobody will look at them again, or never.
	Free func()
}

// Lack is offsets that a log once had and has no more, though it goes on: the topic was compacted. Control
// records and aborted transactions are in the log, and none of them.
type Lack struct {
	First int64 // where there are any
	Count int64
}

// Add adds count offsets, the first of which is first.
func (l *Lack) Add(first, count int64) {
	if count <= 0 {
		return
	}
	if l.Count == 0 || first < l.First {
		l.First = first
	}
	l.Count += count
}

// Position is a place in one log, with what tells that log from another one
// that took its name or, after a truncation, its offsets.
type Position struct {
	Offset int64       // next to read
	Topic  string      // id of the topic; "": not known
	Epoch  LeaderEpoch // of the newest batch read, 0: not known
	Read   int64       // offset after that batch
}

// After returns the position after f was read.
func (p Position) After(f *Fetched) Position {
	p.Offset = f.Next
	if f.Epoch > 0 {
		p.Epoch, p.Read = f.Epoch, f.Read
	}
	return p
}

// Identity tells a log from other logs of its name.
type Identity struct {
	Topic string // id of the topic, "" where the brokers give none
	// EpochEnd is the offset after the last record of the leader epoch that was
	// asked for, or of the newest one below it; -1 where the log has had none so high.
	EpochEnd int64
}

var (
	// ErrOutOfRange reports a fetch below the start or above the end of the log.
	ErrOutOfRange = errors.New("offset out of range")
	// ErrAnotherLog reports that the log is not the one that the position is of.
	ErrAnotherLog = errors.New("another log: the topic was recreated or its log truncated")
)

// ErrNoTopic reports a topic that the brokers do not know, or do not let this user know, of a
// Log. Some may not know one yet that was just created.
var ErrNoTopic = errors.New("no such topic")

// OutageError is an outage that says of what.
type OutageError struct {
	Of  string // in words, as in package depend
	Err error
}

// Error says what is away, and why.
func (e *OutageError) Error() string { return e.Of + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *OutageError) Unwrap() error { return e.Err }

// Log reads the input topics. Every error but ErrOutOfRange and ErrAnotherLog is
// an outage: the caller waits and asks again.
type Log interface {
	// Follow is Fetch at a position. ErrAnotherLog says that the records from
	// there on do not follow those that were read before, and none is returned.
	// What the answer takes, packed and unpacked, is taken from the room before
	// it is there; a *ShortError, wrapped, says that not even the first records fit.
	Follow(ctx context.Context, p Partition, at Position, maxBytes int, room *Room) (Fetched, error)
	// Identity returns the id that the topic has now, and the end of an epoch
	// unless that is 0.
	Identity(ctx context.Context, p Partition, epoch LeaderEpoch) (Identity, error)
	// Fetch returns committed records from offset from on, waiting for up to
	// a second when there are none. One record larger than
	// maxBytes comes back whole.
	Fetch(ctx context.Context, p Partition, from int64, maxBytes int) (Fetched, error)
	// Bounds returns the first offset of the log and the one after its last
	// committed record.
	Bounds(ctx context.Context, p Partition) (start, end int64, err error)
	// Partitions returns the number of partitions of a topic.
	Partitions(ctx context.Context, topic string) (int, error)
}

// Output is one record to send: a summary, draws, a tombstone or a dead letter.
type Output struct {
	Topic   string
	Key     []byte // nil: null
	Value   []byte // nil: null
	Headers []Header
	Time    int64 // milliseconds since 1970
	Offset  int64 // of the input record it came from
	// Kind is that of the model whose posterior it is, for metrics; "": it is none.
	Kind string
}

// Size returns the bytes that the output holds in memory, which are more than
// it has in Kafka.
func (o *Output) Size() int64 { return sizeOf(o.Key, o.Value, o.Headers) }

func sizeOfAll(outputs []Output) (n int64) {
	for i := range outputs {
		n += outputs[i].Size()
	}
	return n
}

// Publisher sends outputs. The partition of an output is murmur2 of its key,
// as Java's default partitioner chooses it.
type Publisher interface {
	// Publish returns when all outputs are acknowledged by all in-sync
	// replicas, in the order given per output partition. With an error it also
	// returns those that are not acknowledged, in an order that keeps that of
	// each output partition: the caller sends these again. A *RefusedError can't
	// be cured by trying again, and the output that was refused is then the
	// first of them; every other error is an outage, after which some of them
	// may be in the log. The bytes of outputs are the caller's again when it returns.
	Publish(ctx context.Context, outputs []Output) (rest []Output, err error)
}

// RefusedError reports an output that Kafka will never take as things are.
type RefusedError struct {
	Topic  string
	Limit  string // what stands in the way, for example "max.message.bytes"
	Remedy string // what the operator can do
	Err    error
}

// Error names the topic, what stands in the way, and the remedy.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("topic %s refuses the output (%s): %v; %s", e.Topic, e.Limit, e.Err, e.Remedy)
}

// Unwrap returns what the broker or the client answered.
func (e *RefusedError) Unwrap() error { return e.Err }

// ErrLost reports a partition of Kafka that lacks what its brokers had acknowledged, or may: as after an election of
// a leader that was not in sync, or where somebody has deleted the topic and made it anew.
var ErrLost = errors.New("the brokers lack records that they had acknowledged")

// Assignment is one partition handed to this process by the consumer group.
type Assignment struct {
	Partition
	Generation int32
	Member     string
	// Committed is the group offset, -1 when there is none.
	Committed int64
	// Commit moves the group offset, which only lag tools read.
	Commit func(ctx context.Context, at GroupOffset) error
}

// GroupOffset is what a consumer group notes of a partition.
type GroupOffset struct {
	Offset int64 // next to apply
	Origin int64 // where the group began: what lies below is not its own
	// Rescaled is that of a Note, which a commit leaves in place of none.
	Rescaled string
}

// Note is what the group's offset of a partition says of its past, so that it is known
// also where the state is lost. The zero value says nothing.
type Note struct {
	Told     bool // the group was told to begin at Origin, where it did not begin with the log
	Origin   int64
	Rescaled string // in words, where keys had records in other partitions before: "" where not
}

// Begin returns where the group was told to begin, -1 where it was not.
func (n Note) Begin() int64 {
	if n.Told {
		return n.Origin
	}
	return -1
}

// Group is membership of the consumer group.
type Group interface {
	// Run calls member with this process's id and the number of its partitions,
	// which may be 0, when it has become a member, with -1 when it is none any
	// more, and the id "" when it will not be that one again, and work, in a goroutine of its own, for every partition that the group
	// assigns to it, until ctx ends. The context of work ends when the assignment does; the
	// group waits for work to return, and work must not return before. It waits
	// out broker outages.
	Run(ctx context.Context, member func(id string, partitions int), work func(context.Context, Assignment)) error
	// Expel removes a member as if it had left. ErrNoMember says that there is none of that id, any more: it has left, or others were faster.
	Expel(ctx context.Context, member string) error
	// Reach returns nil if the broker that looks after the group answers.
	Reach(ctx context.Context) error
	// Members returns the ids of the group's members, and who and where each is, for people; nil while they join.
	Members(ctx context.Context) (map[string]string, error)
	// Note returns what stands beside the group offset of a partition. Commits keep it.
	Note(ctx context.Context, p Partition) (Note, error)
}

// ErrNoMember reports an id that no member of the group has.
var ErrNoMember = errors.New("no member of the group")

// ErrDecode reports bytes that are not an Arrow stream.
var ErrDecode = errors.New("decode")
