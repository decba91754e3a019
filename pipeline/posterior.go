package pipeline

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/alert"
	"github.com/credence-stream/credence/pipeline/gather"
)

// Posterior is one message of the output topic before it is encoded.
type Posterior struct {
	Key           string
	Kind, Variant string
	Config        string // first 16 hex digits of the fingerprint
	Source        Partition
	Offset        int64
	Time          int64 // of the input record, milliseconds since 1970
	Gaps          int   // ranges that on_gap: skip gave up
	Outlier       int64 // offset of the last record that has outliers, 0 where none has
	Summary       *cdf.Summary
	Alerts        []string // that are raised
	// Waiting is told of the rows that wait for the next shard, in what is read back; a
	// message ends a shard and has none.
	Waiting gather.Told
	// Settled says that centre and scale are those of the key's message before,
	// and need not be repeated; a posterior that is read back may lack them.
	Settled bool
}

// reminder is how many shards of a key there are at most from one message with
// centre and scale to the next, for readers that begin between them.
const reminder = 64

// repeats reports whether a message about the t-th shard, whose constants stood
// before it, repeats what the message before said of them. What was not
// published, or is in units of the constants, leaves readers without.
func repeats(spec *cdf.Spec, t int64) bool {
	return spec.Publish.Every <= 1 && spec.Publish.Scale != "model" && t%reminder != 0
}

// Encoder gives a posterior its bytes. The same posterior always gives the
// same bytes. What exceeds limit bytes loses whole variables from the end
// and says how many were left out.
type Encoder interface {
	ContentType() string
	Append(dst []byte, p *Posterior, limit int) ([]byte, error)
}

// Decoder reads a record's value. It is used by one goroutine at a time and
// its batch is valid until the next call. ErrDecode, wrapped, says
// that the bytes are not what they should be; cdf.ErrSchema and cdf.ErrShard
// that they are and cannot serve.
type Decoder interface {
	Decode(value []byte) (*cdf.Batch, error)
	// Release gives the batch up, also after an error, and reports whether it was
	// a large one, whose memory others wait for.
	Release() (large bool)
}

// RecordDecoder is a Decoder that needs more of a record than its value.
type RecordDecoder interface {
	Decoder
	// DecodeRecord is Decode for the value of a record.
	DecodeRecord(r *Record) (*cdf.Batch, error)
}

// Decode reads the value of a record.
func Decode(d Decoder, r *Record) (*cdf.Batch, error) {
	if whole, ok := d.(RecordDecoder); ok {
		return whole.DecodeRecord(r)
	}
	return d.Decode(r.Value)
}

// posterior is the message about a key's present state.
func posterior(key string, spec *cdf.Spec, e *Envelope, p Partition, config string, summary *cdf.Summary) Posterior {
	at := e.ended()
	return Posterior{
		Key: key, Kind: spec.Kind, Variant: spec.Variant, Config: config,
		Source: e.source(p), Offset: at.Offset, Time: at.Time, Gaps: e.Gaps, Outlier: max(e.Outlier-1, 0), Summary: summary,
		Alerts: alert.Raised(e.Alerts), Waiting: e.waits(),
	}
}

// point makes the point of the shard that was said last.
func (l *lane) point(t *task, model *opened, batch *cdf.Batch, published bool) *Point {
	filter, names := model.filter, model.names
	if names == nil {
		names = l.names
	}
	p := l.points.pointOf(&l.said, names, filter.Transforms(), filter.RowWeight(), t.result.Rows, published)
	if seen := filter.Observed(); len(seen) > 0 {
		l.asked = filter.AppendInputs(l.asked[:0])
		p.Observed, p.Given = append(p.Observed, seen...), l.points.givenOf(l.asked, batch, seen, l.given)
		l.given = p.Given.Names
	}
	if p.Published {
		model.names, l.names = p.Names, p.Names
	}
	return p
}

// pointRoom is memory for the next points of a lane, several at once. They come to their end
// together, after their checkpoint.
type pointRoom struct {
	points  []Point
	numbers []float64
}

// Both have eight kilobytes, as the allocator has them.
const (
	roomPoints  = 15
	roomNumbers = 1024
)

func (r *pointRoom) point() *Point {
	if len(r.points) == 0 {
		r.points = make([]Point, roomPoints)
	}
	p := &r.points[0]
	r.points = r.points[1:]
	return p
}

// take returns room for n numbers.
func (r *pointRoom) take(n int) []float64 {
	if n > roomNumbers/8 {
		return make([]float64, 0, n)
	}
	if n > len(r.numbers) {
		r.numbers = make([]float64, roomNumbers)
	}
	room := r.numbers[:0:n]
	r.numbers = r.numbers[n:]
	return room
}
