package web

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/sink/live"
)

// keyCalibration answers /v1/models/{key}/calibration.
func (s *Server) keyCalibration(w http.ResponseWriter, r *http.Request, key string) error {
	if err := newQuery(r).err(); err != nil {
		return err
	}
	sums, owned, known := s.options.Feed.Calibration(key)
	if !known {
		var err error
		if owned, err = s.owns(r, key); err != nil {
			return err
		}
	}
	var o object
	o.open()
	o.text("key", key)
	o.truth("owned", owned)
	o.b = appendSums(o.b, &sums)
	writeBody(w, jsonType, append(o.b, '}', '\n'))
	return nil
}

// calibration answers /v1/calibration.
func (s *Server) calibration(w http.ResponseWriter, r *http.Request) error {
	q := newQuery(r)
	prefix, kind := q.text("prefix", keyLimit, ""), q.choice("kind", s.options.Kinds.Names()...)
	if err := q.err(); err != nil {
		return err
	}
	found := s.options.Feed.Across(prefix, kind)
	all := live.Together(found)
	var o object
	o.open()
	o.count("keys", all.Keys)
	o.name("all")
	o.b = append(appendSums(append(o.b, '{'), &all), '}')
	o.name("kinds")
	by := object{b: o.b}
	by.open()
	for _, k := range slices.Sorted(maps.Keys(found)) {
		by.name(k)
		by.b = append(appendSums(append(by.b, '{'), found[k]), '}')
	}
	by.close()
	writeBody(w, jsonType, append(by.b, '}', '\n'))
	return nil
}

// appendSums appends the members of an object, after others if there are any.
func appendSums(dst []byte, s *live.Sums) []byte {
	o := object{b: dst, comma: dst[len(dst)-1] != '{'}
	o.count("rows", s.Rows)
	o.count("shards", s.Shards)
	o.name("pit")
	o.b = appendList(o.b, s.PIT[:], func(dst []byte, n *int64) []byte { return strconv.AppendInt(dst, *n, 10) })
	o.name("coverage")
	o.b = appendList(o.b, s.Coverage(), appendCoverage)
	o.number("log_density", s.LogDensity())
	o.number("rmse", s.RMSE())
	return o.b
}

func appendCoverage(dst []byte, c *live.Coverage) []byte {
	o := object{b: dst}
	o.open()
	o.number("nominal", c.Nominal)
	o.number("share", c.Share)
	o.number("low", c.Low)
	o.number("high", c.High)
	o.close()
	return o.b
}
