package web

import (
	"net/http"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/sink/live"
)

// observedColumns are the numbers of an observed row, in the order of its columns.
var observedColumns = [...]string{"observed", "mean", "q2.5", "q10", "q25", "q75", "q90", "q97.5", "pit"}

func observedNumbers(o *live.Observed) [len(observedColumns)]float64 {
	return [...]float64{o.Y, o.Mean, o.Q[0], o.Q[1], o.Q[2], o.Q[3], o.Q[4], o.Q[5], o.PIT}
}

// observed answers /v1/models/{key}/observed.
func (s *Server) observed(w http.ResponseWriter, r *http.Request, key string) error {
	q := newQuery(r)
	limit := q.integer("limit", 1, 1000, 1000)
	if err := q.err(); err != nil {
		return err
	}
	contentType, err := negotiate(r, jsonType, arrowType)
	if err != nil {
		return err
	}
	rows, owned, known := s.options.Feed.Observed(key, limit)
	if !known {
		if owned, err = s.owns(r, key); err != nil {
			return err
		}
	}
	if contentType == arrowType {
		return s.writeBatch(w, observedBatch(rows))
	}
	o := newObject()
	o.text("key", key)
	o.truth("owned", owned)
	appendList(&o, "rows", rows, func(o *object, row *live.Observed) {
		o.count("t", row.T)
		o.count("offset", row.Offset)
		o.time("time", row.Time)
		o.count("row", row.Row)
		for i, v := range observedNumbers(row) {
			o.number(observedColumns[i], v)
		}
		o.truth("outlier", row.Outlier())
		o.given(row)
	})
	writeBody(w, jsonType, o.line())
	return nil
}

// given writes the inputs of a row, nothing where they are not kept.
func (o *object) given(row *live.Observed) {
	if len(row.Names) == 0 {
		return
	}
	o.name("inputs")
	o.open()
	for i, name := range row.Names {
		if row.Labels != nil && row.Labels[i] != "" {
			o.text(name, row.Labels[i])
		} else {
			o.number(name, row.Numbers[i])
		}
	}
	o.close()
}

// observedBatch lays rows out as columns.
func observedBatch(rows []live.Observed) *cdf.Batch {
	head := []cdf.Column{{Name: "t", Type: cdf.Integer}, {Name: "offset", Type: cdf.Integer}, {Name: "time", Type: cdf.Time}, {Name: "row", Type: cdf.Integer}}
	b := &cdf.Batch{Rows: len(rows), Columns: head}
	for _, name := range observedColumns {
		b.Columns = append(b.Columns, cdf.Column{Name: name})
	}
	b.Columns = append(b.Columns, cdf.Column{Name: "outlier", Type: cdf.Bool})
	last := len(b.Columns) - 1
	for i := range rows {
		o, c := &rows[i], b.Columns
		c[0].Int = append(c[0].Int, o.T)
		c[1].Int = append(c[1].Int, o.Offset)
		c[2].Number = append(c[2].Number, float64(o.Time)/1000)
		c[3].Int = append(c[3].Int, o.Row)
		for k, v := range observedNumbers(o) {
			c[len(head)+k].Number = append(c[len(head)+k].Number, v)
		}
		outlier := 0.
		if o.Outlier() {
			outlier = 1
		}
		c[last].Number = append(c[last].Number, outlier)
	}
	return b
}
