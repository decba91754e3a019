package web

import (
	"math"
	"net/http"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/live"
)

// history answers /v1/models/{key}/history.
func (s *Server) history(w http.ResponseWriter, r *http.Request, key string) error {
	q := newQuery(r)
	limit := q.integer("limit", 1, 10000, 1000)
	wanted := variables(q.text("variables", 2000, "**"))
	if err := q.err(); err != nil {
		return err
	}
	contentType, err := negotiate(r, jsonType, arrowType)
	if err != nil {
		return err
	}
	h, known := s.options.Feed.History(key, limit)
	if !known {
		if h.Owned, err = s.owns(r, key); err != nil {
			return err
		}
	}
	w.Header().Add("Vary", "Accept")
	if contentType == arrowType {
		return s.writeBatch(w, historyBatch(h.Points, wanted))
	}
	o := newObject()
	o.text("key", key)
	o.truth("owned", h.Owned)
	o.truth("complete", h.Complete)
	if c := h.Crowded; c != nil && h.Owned {
		o.name("dropped")
		o.open()
		o.count("keys", int64(c.Keys))
		o.count("history_bytes", c.Needed())
		o.close()
	}
	appendList(&o, "points", h.Points, func(o *object, p *live.Point) { o.point(p, wanted) })
	writeBody(w, jsonType, o.line())
	return nil
}

// owns reports whether a key that the feed does not know belongs to a partition
// of this process; a key without a model is a problem.
func (s *Server) owns(r *http.Request, key string) (bool, error) {
	m, err := s.find(r.Context(), key)
	if err != nil {
		return false, err
	}
	return s.options.Feed.Owned(m.Posterior.Source.ID), nil
}

// point writes the members of a point.
func (o *object) point(p *live.Point, wanted func(string) bool) {
	o.text("key", p.Key)
	o.text("kind", p.Kind)
	o.count("t", p.T)
	o.count("n", p.N)
	o.number("n_eff", p.NEff)
	o.count("partition", int64(p.Partition))
	o.count("offset", p.Offset)
	o.time("time", p.Time)
	o.name("score")
	o.open()
	o.count("rows", p.Score.Rows)
	o.count("predicted_rows", p.Score.PredictedRows)
	o.number("log_density", p.Score.LogDensity)
	o.number("log_evidence", p.Score.LogEvidence)
	o.number("rmse", p.Score.RMSE)
	o.number("coverage95", p.Score.Coverage95)
	o.close()
	o.texts("flags", p.Flags())
	o.count("variables", int64(p.Variables))
	o.rows("posterior", p.Names, p.Numbers, wanted)
}

// historyBatch lays points out as columns, one row per point and variable.
func historyBatch(points []live.Point, wanted func(string) bool) *cdf.Batch {
	columns := []cdf.Column{
		{Name: "t", Type: cdf.Integer}, {Name: "n", Type: cdf.Integer}, {Name: "offset", Type: cdf.Integer},
		{Name: "time", Type: cdf.Time}, {Name: "variable", Type: cdf.Text},
	}
	head := len(columns)
	for _, name := range cdf.RowColumns {
		columns = append(columns, cdf.Column{Name: name})
	}
	b := &cdf.Batch{Columns: columns}
	code := map[string]int32{}
	for i := range points {
		p := points[i].Point
		for v, name := range p.Names {
			if !wanted(name) {
				continue
			}
			if _, ok := code[name]; !ok {
				code[name] = int32(len(columns[4].Levels))
				columns[4].Levels = append(columns[4].Levels, name)
			}
			b.Rows++
			columns[0].Int = append(columns[0].Int, p.T)
			columns[1].Int = append(columns[1].Int, p.N)
			columns[2].Int = append(columns[2].Int, p.Offset)
			columns[3].Number = append(columns[3].Number, float64(p.Time)/1000)
			columns[4].Code = append(columns[4].Code, code[name])
			for c, x := range numbersOf(p, v) {
				if math.IsInf(x, 0) {
					x = math.NaN()
				}
				columns[head+c].Number = append(columns[head+c].Number, x)
			}
		}
	}
	return b
}

// numbersOf returns the numbers of variable v, in the order of cdf.RowColumns.
func numbersOf(p *pipeline.Point, v int) []float64 {
	return p.Numbers[v*len(cdf.RowColumns) : (v+1)*len(cdf.RowColumns)]
}
