package show

import (
	"bytes"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/sink"
)

// toJSON returns the JSON form of a message of the output topic, which holds
// it already or is Arrow.
func toJSON(r *pipeline.Record) ([]byte, error) {
	kind, said := r.Header("content-type")
	if string(kind) == (sink.JSON{}).ContentType() || !said && bytes.HasPrefix(r.Value, []byte("{")) {
		return r.Value, nil
	}
	p, omitted, err := arrow.DecodePosterior(r.Value)
	if err != nil {
		return nil, err
	}
	p.Time = r.Time // it is not in the bytes
	return sink.AppendJSON(nil, p, omitted), nil
}
