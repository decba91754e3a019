package web

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/sink/live"
)

// keyCalibration answers /v1/models/{key}/calibration.
func (s *Server) keyCalibration(w http.ResponseWriter, r *http.Request, key string) error {
	q := newQuery(r)
	windows := q.integer("windows", 1, 100, 0)
	if err := q.err(); err != nil {
		return err
	}
	sums, owned, known := s.options.Feed.Calibration(key)
	if !known {
		var err error
		if owned, err = s.owns(r, key); err != nil {
			return err
		}
	}
	o := newObject()
	o.text("key", key)
	o.truth("owned", owned)
	o.sums(&sums)
	if windows > 0 {
		list, _, _ := s.options.Feed.Windows(key, windows)
		appendList(&o, "windows", list, appendWindow)
	}
	writeBody(w, jsonType, o.line())
	return nil
}

func appendWindow(o *object, w *live.Window) {
	o.count("from", w.From)
	o.count("to", w.To)
	o.time("from_time", w.FromTime)
	o.time("to_time", w.ToTime)
	o.sums(&w.Sums)
}

// calibration answers /v1/calibration.
func (s *Server) calibration(w http.ResponseWriter, r *http.Request) error {
	q := newQuery(r)
	prefix, kind := q.text("prefix", keyLimit, ""), q.choice("kind", s.options.Kinds.Names()...)
	if err := q.err(); err != nil {
		return err
	}
	found := map[string]*live.Sums{}
	if prefix, any := scopeOf(r).Within(prefix); any {
		found = s.options.Feed.Across(prefix, kind)
	}
	all := live.Together(found)
	o := newObject()
	o.count("keys", all.Keys)
	o.name("all")
	o.open()
	o.sums(&all)
	o.close()
	o.name("kinds")
	o.open()
	for _, k := range slices.Sorted(maps.Keys(found)) {
		o.name(k)
		o.open()
		o.sums(found[k])
		o.close()
	}
	o.close()
	writeBody(w, jsonType, o.line())
	return nil
}

// sums writes the members that calibration consists of.
func (o *object) sums(s *live.Sums) {
	o.count("rows", s.Rows)
	o.count("shards", s.Shards)
	o.name("pit")
	o.value(jsontext.AppendList(o.b, s.PIT[:], func(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }))
	appendList(o, "coverage", s.Coverage(), appendCoverage)
	o.number("log_density", s.LogDensity())
	o.number("rmse", s.RMSE())
}

func appendCoverage(o *object, c *live.Coverage) {
	o.number("nominal", c.Nominal)
	o.number("share", c.Share)
	o.number("low", c.Low)
	o.number("high", c.High)
}
