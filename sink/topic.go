package sink

import (
	"strconv"

	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/trace"
)

// eventType is the CloudEvents type of everything on the output topics.
const eventType = "dev.credence.posterior.v1"

// The ends of the ce_id of what belongs to a posterior.
const (
	drawsPart       = "/draws"
	predictionsPart = "/predictions"
)

// Form gives posteriors, predictions and alerts their bytes, in one content type. The
// same message always gets the same bytes.
type Form interface {
	pipeline.Encoder
	// AppendPredictions appends the bytes of p. What exceeds limit bytes
	// loses rows from the end and says how many; a limit of 0 is none.
	AppendPredictions(dst []byte, p *pipeline.Predictions, limit int) ([]byte, error)
	// AppendAlert appends the bytes of a.
	AppendAlert(dst []byte, a *pipeline.Alert) ([]byte, error)
}

// Topic makes the records of the output topic and of those beside it. The
// same posterior gives the same record, byte by byte.
type Topic struct {
	Group   string // consumer group, part of ce_source
	Output  string // topic
	Encoder Form
	Limit   int // bytes of a value; 0: none

	room *headerRoom // nil: headers have memory of their own
}

// headerRoom is memory for the headers of the next records of one goroutine, of several records at
// once: they come to their end together, after their checkpoint.
type headerRoom struct{ free []pipeline.Header }

// roomHeaders are eight kilobytes, as the allocator has them.
const roomHeaders = 204

func (r *headerRoom) take(n int) []pipeline.Header {
	if r == nil {
		return make([]pipeline.Header, 0, n)
	}
	if n > len(r.free) {
		r.free = make([]pipeline.Header, roomHeaders)
	}
	room := r.free[:0:n]
	r.free = r.free[n:]
	return room
}

// Posterior returns the record of p. It appends value, key and headers to
// dst, which belongs to the record from then on; dst may be nil. It goes on with
// the trace of its input. The error is the encoder's.
func (t *Topic) Posterior(dst []byte, p *pipeline.Posterior, of Trace) (pipeline.Output, error) {
	start := len(dst)
	dst, err := t.Encoder.Append(dst, p, t.Limit)
	if err != nil {
		return pipeline.Output{}, err
	}
	o := t.output(dst, start, event{
		content: t.Encoder.ContentType(), key: p.Key, source: p.Source, offset: p.Offset, time: p.Time, trace: of,
	})
	return o, nil
}

// Draws returns the record on topic `<output>.draws` that has the given value
// and content type.
func (t *Topic) Draws(value []byte, contentType string, p *pipeline.Posterior, of Trace) pipeline.Output {
	o := t.output(value, 0, event{
		content: contentType, key: p.Key, source: p.Source, offset: p.Offset, part: drawsPart, time: p.Time, trace: of,
	})
	o.Topic = t.Output + ".draws"
	return o
}

// Predictions returns the record of p on topic `<output>.predictions`. It
// appends to dst as Posterior does.
func (t *Topic) Predictions(dst []byte, p *pipeline.Predictions, of Trace) (pipeline.Output, error) {
	start := len(dst)
	dst, err := t.Encoder.AppendPredictions(dst, p, t.Limit)
	if err != nil {
		return pipeline.Output{}, err
	}
	o := t.output(dst, start, event{
		content: t.Encoder.ContentType(), key: p.Key, source: p.Source, offset: p.Offset, part: predictionsPart, time: p.Time, trace: of,
	})
	o.Topic = t.Output + ".predictions"
	return o, nil
}

// Tombstone returns the record that tells readers that the model of key is
// gone: a null value with all ce_ headers, and no content type, as there is
// no content. offset and time are those of the input's tombstone.
func (t *Topic) Tombstone(key string, source pipeline.Partition, offset, time int64, of Trace) pipeline.Output {
	o := t.output(nil, 0, event{key: key, source: source, offset: offset, time: time, trace: of})
	o.Value = nil
	return o
}

// event is what the headers of an output are made of.
type event struct {
	content string // empty: none
	key     string
	source  pipeline.Partition
	offset  int64
	part    string
	time    int64
	trace   Trace
}

// output makes the record whose value is dst[start:]. Key and headers share
// the value's memory: two allocations a record are enough.
func (t *Topic) output(dst []byte, start int, e event) pipeline.Output {
	var ends [10]int
	n := 0
	cut := func() {
		ends[n] = len(dst)
		n++
	}
	cut()
	dst = append(dst, e.key...)
	cut()
	dst = append(dst, e.content...)
	cut()
	dst = append(dst, eventType...)
	cut()
	dst = append(dst, '/')
	dst = append(dst, t.Group...)
	dst = append(dst, '/')
	dst = append(dst, e.source.Topic...)
	dst = append(dst, '/')
	dst = strconv.AppendInt(dst, int64(e.source.ID), 10)
	cut()
	dst = strconv.AppendInt(dst, e.offset, 10)
	dst = append(dst, e.part...)
	cut()
	dst = jsontext.AppendTime(dst, e.time)
	cut()
	dst = append(dst, "1.0"...)
	cut()
	dst = append(dst, e.trace.Parent...)
	cut()
	dst = append(dst, e.trace.State...)
	cut()
	piece := func(i int) []byte { return dst[ends[i-1]:ends[i]:ends[i]] }

	n = 6
	for _, there := range [...]bool{e.content != "", e.trace.Parent != nil, e.trace.State != nil} {
		if there {
			n++
		}
	}
	headers := t.room.take(n)
	if e.content != "" {
		headers = append(headers, pipeline.Header{Key: "content-type", Value: piece(2)})
	}
	headers = append(headers,
		pipeline.Header{Key: "ce_specversion", Value: piece(7)},
		pipeline.Header{Key: "ce_type", Value: piece(3)},
		pipeline.Header{Key: "ce_source", Value: piece(4)},
		pipeline.Header{Key: "ce_id", Value: piece(5)},
		pipeline.Header{Key: "ce_subject", Value: piece(1)},
		pipeline.Header{Key: "ce_time", Value: piece(6)},
	)
	if e.trace.Parent != nil {
		headers = append(headers, pipeline.Header{Key: trace.ParentHeader, Value: piece(8)})
	}
	if e.trace.State != nil {
		headers = append(headers, pipeline.Header{Key: trace.StateHeader, Value: piece(9)})
	}
	return pipeline.Output{
		Topic:   t.Output,
		Key:     piece(1),
		Value:   dst[start:ends[0]:ends[0]],
		Headers: headers,
		Time:    jsontext.Clamp(e.time),
		Offset:  e.offset,
	}
}
