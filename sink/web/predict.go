package web

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

const (
	// maxHorizon is a day of minutes and more. A step of a dlm on the grid costs
	// up to .1 ms of a core: all of them less than a second of a slow one.
	maxHorizon     = 2_000
	maxPredictions = 100_000 // rows of one request
)

// predict answers what the present state of a key says of new rows.
func (s *Server) predict(w http.ResponseWriter, r *http.Request, key string) error {
	if err := newQuery(r).err(); err != nil {
		return err
	}
	answer, err := negotiate(r, jsonType, arrowType)
	if err != nil {
		return err
	}
	sent, err := sentType(r)
	if err != nil {
		return err
	}
	h := hold{room: s.turns.room}
	defer h.end()
	body, err := s.readBody(w, r, &h)
	if err != nil {
		return err
	}
	if err := s.turns.take(r.Context(), w); err != nil {
		return err
	}
	// What the body, the turn and the numbers take is not the time to read the answer.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.compute + answerTimeout))
	out, err := s.predicted(r.Context(), key, body, sent, answer)
	if err != nil {
		return err
	}
	if h.grow(len(out)) != nil {
		return full(w)
	}
	writeBody(w, answer, out)
	return nil
}

// predicted computes an answer and ends the turn that the caller has taken.
func (s *Server) predicted(ctx context.Context, key string, body []byte, sent, answer string) ([]byte, error) {
	defer s.turns.give()
	m, err := s.find(ctx, key)
	if err != nil {
		return nil, err
	}
	a, err := s.readAsked(body, sent, m)
	if err != nil {
		return nil, err
	}
	rows, err := foretell(&reckoner{ctx, m.Filter, time.Now().Add(s.compute), s.compute}, m, a)
	if err != nil {
		return nil, err
	}
	p := m.Posterior
	if answer == arrowType {
		return s.options.Forms[arrowType].AppendPredictions(nil, &pipeline.Predictions{
			Key: key, Kind: p.Kind, Variant: p.Variant, Config: p.Config, T: p.Summary.T,
			Source: p.Source, Offset: p.Offset, Time: p.Time, Rows: rows, Expected: true,
		}, 0)
	}
	o := newObject()
	o.text("key", p.Key)
	o.count("t", p.Summary.T)
	o.count("n", p.Summary.N)
	appendList(&o, "predictions", rows, appendPrediction)
	return o.line(), nil
}

// sentType returns the media type of the body.
func sentType(r *http.Request) (string, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return "", refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "a body with Content-Encoding %q is not read", shorten(encoding))
	}
	if err != nil || media != jsonType && media != arrowType {
		return "", refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "Content-Type is %s or %s", jsonType, arrowType)
	}
	if set := params["charset"]; set != "" && media == jsonType && !strings.EqualFold(set, "utf-8") && !strings.EqualFold(set, "us-ascii") {
		return "", refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "a body in charset %q is not read: send it in UTF-8", shorten(set))
	}
	return media, nil
}

// readAsked reads the body as the key's model calls for.
func (s *Server) readAsked(body []byte, sent string, m *Model) (asked, error) {
	steps := m.Rule.Spec.Steps
	a, err := s.parse(body, sent, m.Filter.Inputs())
	if err != nil {
		return a, err
	}
	unfit := func(format string, args ...any) (asked, error) {
		return a, refuse(http.StatusUnprocessableEntity, "unfit", format, args...)
	}
	switch {
	case a.batch != nil && a.horizon > 0:
		return unfit("rows and horizon are both given: one of them is needed")
	case steps && a.horizon == 0:
		return unfit("a %s takes no rows but the number of steps ahead: {\"horizon\":10}", m.Posterior.Kind)
	case !steps && a.batch == nil:
		return unfit("rows are needed: {\"rows\":[{\"name\":value,...},...]}; horizon is for models of steps in time")
	case steps:
		if limit := m.Rule.Spec.Limits.Rows; limit > 0 && a.horizon > limit {
			return unfit("horizon is %d, limits.rows is %d", a.horizon, limit)
		}
		return a, nil
	case a.batch.Rows == 0:
		return unfit("no rows")
	}
	return a, checkInputs(m.Filter.Inputs(), a.batch)
}

// characters reports whether the texts of a JSON body are made of characters. What is none would be read as
// U+FFFD, and a label with it as one that the model does not know.
func characters(body []byte) bool {
	if !utf8.Valid(body) {
		return false
	}
	for {
		at := bytes.IndexByte(body, '\\')
		if at < 0 {
			return true
		}
		body = body[at:]
		switch first := escaped(body); {
		case !utf16.IsSurrogate(first):
			body = body[min(2, len(body)):]
		case utf16.DecodeRune(first, escaped(body[6:])) == utf8.RuneError:
			return false
		default:
			body = body[12:]
		}
	}
}

// escaped returns the code that an escape such as \u00e9 at the start of a text has, -1 for another.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	code, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(code)
}

func (s *Server) parse(body []byte, sent string, inputs []cdf.Input) (asked, error) {
	if sent == jsonType {
		if !characters(body) {
			return asked{}, badBody("a text in it is not UTF-8, or has half of a surrogate pair, which is no character")
		}
		return newRowReader(bytes.NewReader(body), inputs, maxPredictions).read()
	}
	b, err := s.options.NewDecoder().Decode(body)
	text := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case err != nil && len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return asked{}, badBody("it is text such as JSON, and Content-Type says %s: %s is that of JSON", arrowType, jsonType)
	case errors.Is(err, pipeline.ErrDecode):
		return asked{}, badBody("%v", err)
	case err != nil:
		return asked{}, refuse(http.StatusUnprocessableEntity, "unfit", "%v", err)
	case b.Rows > maxPredictions:
		return asked{}, refuse(http.StatusRequestEntityTooLarge, "too_large", "more than %d rows; send them in several requests", maxPredictions)
	}
	return asked{batch: b}, nil
}

// foretell computes the predictions, all of whose numbers are finite where the model has them.
func foretell(r *reckoner, m *Model, a asked) ([]pipeline.RowPrediction, error) {
	var found []cdf.Prediction
	var err error
	first := int64(0)
	if a.horizon > 0 {
		first = 1
		if found, err = m.Filter.Forecast(a.horizon); err != nil {
			err = refuse(http.StatusUnprocessableEntity, "unfit", "%v", err)
		}
	} else {
		found, err = r.predict(a.batch)
	}
	if err != nil {
		return nil, err
	}
	rows := make([]pipeline.RowPrediction, len(found))
	for i := range found {
		rows[i] = pipeline.RowPrediction{Row: first + int64(i), Prediction: found[i]}
	}
	return rows, checkFound(r, m, a, rows)
}

func appendPrediction(o *object, q *pipeline.RowPrediction) {
	o.count("row", q.Row)
	o.number("mean", q.Mean)
	o.number("sd", q.SD)
	o.number("q2.5", q.Q025)
	o.number("q97.5", q.Q975)
	o.number("epred_sd", q.EpredSD)
	o.number("epred_q2.5", q.EpredQ025)
	o.number("epred_q97.5", q.EpredQ975)
}

// writeBatch answers with a batch in Arrow.
func (s *Server) writeBatch(w http.ResponseWriter, b *cdf.Batch) error {
	body, err := s.options.Encode(b)
	if err != nil {
		return err
	}
	writeBody(w, arrowType, body)
	return nil
}

// writeBody answers with a body that nobody keeps.
func writeBody(w http.ResponseWriter, contentType string, body []byte) {
	h := w.Header()
	h.Add("Vary", "Accept")
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // a client that went away is not the server's failure
}
