package web

import (
	"context"
	"math"
	"net/http"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
)

// contrast answers /v1/models/{key}/contrast: the law of a combination of variables in
// the present state of a key, as publish.quantities has it, and the probability
// that it is above 0.
func (s *Server) contrast(w http.ResponseWriter, r *http.Request, key string) error {
	q := newQuery(r)
	of := q.text("of", quantity.MaxBytes, "")
	if err := q.err(); err != nil {
		return err
	}
	list, err := contrasted(of)
	if err != nil {
		return err
	}
	if err := s.turns.take(r.Context(), w); err != nil {
		return err
	}
	body, err := s.answered(r.Context(), key, of, list)
	if err != nil {
		return err
	}
	writeBody(w, jsonType, body)
	return nil
}

// contrasted reads an expression: the quantity and, where it can be on either side
// of 0, the probability that it is above.
func contrasted(of string) ([]quantity.Quantity, error) {
	if of == "" {
		return nil, refuse(http.StatusBadRequest, "bad_query", "of is missing: say of=EXPRESSION, for example of=level[A]-level[B]")
	}
	form, err := quantity.ParseForm(of, nil)
	if err != nil {
		return nil, refuse(http.StatusUnprocessableEntity, "bad_expression", "%v", err)
	}
	list := []quantity.Quantity{{Name: of, Kind: quantity.KindForm, Form: form}}
	if len(form.Terms) == 1 && form.Terms[0].Variable == of {
		list[0].Name = "" // that name is taken
	}
	if sided, ok := form.Positive(); ok {
		list = append(list, quantity.Quantity{Kind: quantity.KindProbability, Form: sided})
	}
	return list, nil
}

// answered computes an answer and ends the turn that the caller has taken.
func (s *Server) answered(ctx context.Context, key, of string, list []quantity.Quantity) ([]byte, error) {
	defer s.turns.give()
	m, err := s.find(ctx, key)
	if err != nil {
		return nil, err
	}
	found, err := m.Filter.Ask(list)
	if err != nil {
		return nil, refuse(http.StatusUnprocessableEntity, "unfit", "%v", err)
	}
	o := newObject()
	o.text("key", m.Posterior.Key)
	o.count("t", m.Posterior.Summary.T)
	o.count("n", m.Posterior.Summary.N)
	law := found[0]
	if law.Absent != "" {
		return nil, refuse(http.StatusUnprocessableEntity, "unfit", "%s", unanswered(m, law.Absent))
	}
	o.name("law")
	o.open()
	o.text("variable", of)
	for c, v := range law.Row.Numbers() {
		o.number(cdf.RowColumns[c], *v)
	}
	o.close()
	above := cdf.Row{Mean: math.NaN(), MCSEMean: math.NaN()}
	if len(found) > 1 {
		above = found[1].Row
	}
	o.number("above_zero", above.Mean)
	o.number("mcse_above_zero", above.MCSEMean)
	return o.line(), nil
}

// unanswered says what to do where draws would be needed that nobody keeps.
func unanswered(m *Model, why string) string {
	if m.Filter.SelfDescribing() {
		return why
	}
	return why + "; a model that draws answers at its next shard what publish.quantities asks for"
}
