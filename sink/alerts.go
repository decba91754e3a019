package sink

import (
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// alertsPart begins the end of the ce_id of an alert, which goes on with its name.
const alertsPart = "/alerts/"

// Alert returns the record of a on topic `<output>.alerts`. It appends to dst as
// Posterior does.
func (t *Topic) Alert(dst []byte, a *pipeline.Alert, of Trace) (pipeline.Output, error) {
	start := len(dst)
	dst, err := t.Encoder.AppendAlert(dst, a)
	if err != nil {
		return pipeline.Output{}, err
	}
	o := t.output(dst, start, event{
		content: t.Encoder.ContentType(), key: a.Key, source: a.Source, offset: a.Offset, part: alertsPart + a.Name, time: a.Time, trace: of,
	})
	o.Topic = t.Output + ".alerts"
	return o, nil
}

// Alert implements pipeline.Outputs.
func (o *Outputs) Alert(a *pipeline.Alert, r *pipeline.Record) (pipeline.Output, error) {
	return o.topic.Alert(nil, a, TraceOf(r))
}

// AppendAlert appends an alert as one JSON object without line breaks. Of one that
// is withdrawn the figures are null and "withdrawn" says why.
func (JSON) AppendAlert(dst []byte, a *pipeline.Alert) ([]byte, error) {
	dst = appendModel(dst, a.Key, a.Kind, a.Variant, a.T)
	dst = appendSource(dst, a.Config, a.Source, a.Offset, a.Time)
	dst = appendText(dst, `,"alert":`, a.Name)
	dst = appendText(dst, `,"event":`, a.Word())
	dst = appendText(dst, `,"when":`, a.When)
	dst = appendNumber(dst, `,"value":`, a.Value)
	dst = appendNumber(dst, `,"bound":`, a.Bound)
	dst = appendNumber(dst, `,"clear_below":`, a.Clear)
	dst = appendCount(dst, `,"for":`, a.For)
	if a.Withdrawn != "" {
		dst = appendText(dst, `,"withdrawn":`, a.Withdrawn)
	}
	return append(dst, '}'), nil
}

// appendAnswers appends which rows are of quantities and why others are absent, and
// what is raised, where there are any.
func appendAnswers(dst []byte, p *pipeline.Posterior) []byte {
	if q := p.Summary.Quantities; len(q) > 0 {
		dst = jsontext.AppendQuantities(append(dst, `,"quantities":`...), q)
	}
	if len(p.Alerts) > 0 {
		dst = jsontext.AppendStrings(append(dst, `,"alerts":`...), p.Alerts)
	}
	return dst
}
