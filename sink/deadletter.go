package sink

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// The headers that a dead letter has after those of its record, in order.
const (
	prefix          = "__connect.errors."
	topicHeader     = prefix + "topic"
	partitionHeader = prefix + "partition"
	offsetHeader    = prefix + "offset"
	stageHeader     = prefix + "stage"
	classHeader     = prefix + "exception.class.name"
	messageHeader   = prefix + "exception.message"
)

// maxMessage bounds the message, so that a letter without its record's bytes
// is always small.
const maxMessage = 4096

// DeadLetters makes the records of the dead letter topic.
type DeadLetters struct {
	Topic string
	// Limit bounds a letter in bytes: one that would be larger has not the
	// record's bytes but says where they are. That follows from the record
	// alone, not from what Kafka takes, so that repeats are the same. 0: none.
	Limit int64
}

// Output returns the dead letter of record r of partition src: its key, value,
// headers and timestamp as they are (Kafka has no timestamps of 0 and below:
// these become 1), then the headers that say where it came from and why it is
// here. A record that was a dead letter before keeps the headers of that, too,
// before ours. stage is one of pipeline.Stages. The bytes of r are
// shared, not copied, unless they are left out because of the limit.
func (d DeadLetters) Output(src pipeline.Partition, r *pipeline.Record, stage, message string) pipeline.Output {
	o := d.letter(src, r, stage, printable(message))
	if d.Limit <= 0 || o.Size() <= d.Limit {
		return o
	}
	small, message := spare(src, r, message)
	o = d.letter(src, small, stage, message)
	o.Headers = append(o.Headers, leftOut(r.Value).headers()...)
	return o
}

func (d DeadLetters) letter(src pipeline.Partition, r *pipeline.Record, stage, message string) pipeline.Output {
	headers := make([]pipeline.Header, 0, len(r.Headers)+6)
	headers = append(headers, r.Headers...)
	for _, h := range [...]struct{ key, value string }{
		{topicHeader, src.Topic},
		{partitionHeader, strconv.Itoa(int(src.ID))},
		{offsetHeader, strconv.FormatInt(r.Offset, 10)},
		{stageHeader, stage},
		{classHeader, class(stage)},
		{messageHeader, message},
	} {
		headers = append(headers, pipeline.Header{Key: h.key, Value: []byte(h.value)})
	}
	return pipeline.Output{
		Topic: d.Topic, Key: r.Key, Value: r.Value, Headers: headers,
		Time: jsontext.Clamp(r.Time), Offset: r.Offset,
	}
}

// class returns the name that tools made for Kafka Connect show for a stage:
// dev.credence.SchemaException for schema.
func class(stage string) string {
	if stage == "" {
		return "dev.credence.Exception"
	}
	return "dev.credence." + strings.ToUpper(stage[:1]) + stage[1:] + "Exception"
}

// printable returns message as valid UTF-8 of at most maxMessage bytes.
func printable(message string) string {
	message = strings.ToValidUTF8(message, "\ufffd")
	if len(message) <= maxMessage {
		return message
	}
	end := maxMessage
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end]
}

// Letter is what the headers of a dead letter say.
type Letter struct {
	Source                pipeline.Partition // where the record was
	Offset                int64
	Stage, Class, Message string
	// Headers are those of the record itself, to send it again with.
	Headers []pipeline.Header
	// LeftOut, when not nil, tells the record's value, which the letter has
	// not, as it has no other headers of the record than pipeline.ShardHeader and
	// those of its trace.
	LeftOut *LeftOut
}

// ParseLetter reads the headers of a dead letter and reports whether they are
// those of one. Of a record that died more than once it tells the last time.
func ParseLetter(headers []pipeline.Header) (Letter, bool) {
	left, headers := parseLeftOut(headers)
	own := len(headers) - 6
	if own < 0 {
		return Letter{}, false
	}
	var v [6]string
	for i, key := range [...]string{topicHeader, partitionHeader, offsetHeader, stageHeader, classHeader, messageHeader} {
		if headers[own+i].Key != key {
			return Letter{}, false
		}
		v[i] = string(headers[own+i].Value)
	}
	partition, err := strconv.ParseInt(v[1], 10, 32)
	if err != nil {
		return Letter{}, false
	}
	offset, err := strconv.ParseInt(v[2], 10, 64)
	if err != nil {
		return Letter{}, false
	}
	return Letter{
		Source: pipeline.Partition{Topic: v[0], ID: int32(partition)}, Offset: offset,
		Stage: v[3], Class: v[4], Message: v[5], Headers: headers[:own:own], LeftOut: left,
	}, true
}

// runPrefix begins the run that a record carries which was a dead letter.
const runPrefix = "dlq."

// Replay returns record r, the dead letter, as it is sent to its topic again: key,
// value and timestamp as they are, its headers without those that any death
// has added, and pipeline.ShardHeader with where it was, by which a worker
// tells that it has applied it. Keys go where murmur2 puts them.
func (l Letter) Replay(r *pipeline.Record) pipeline.Output {
	headers := make([]pipeline.Header, 0, len(l.Headers)+1)
	for _, h := range l.Headers {
		if strings.HasPrefix(h.Key, prefix) || h.Key == pipeline.ShardHeader && strings.HasPrefix(string(h.Value), runPrefix) {
			continue
		}
		headers = append(headers, h)
	}
	id := runPrefix + l.Source.Topic + "." + strconv.Itoa(int(l.Source.ID)) + "/" + strconv.FormatInt(l.Offset, 10)
	headers = append(headers, pipeline.Header{Key: pipeline.ShardHeader, Value: []byte(id)})
	return pipeline.Output{Topic: l.Source.Topic, Key: r.Key, Value: r.Value, Headers: headers, Time: r.Time, Offset: l.Offset}
}
