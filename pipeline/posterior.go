package pipeline

import "github.com/credence-stream/credence/cdf"

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
