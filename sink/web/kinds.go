package web

import (
	"net/http"

	"github.com/credence-stream/credence/models/kind"
)

// kinds answers /v1/kinds.
func (s *Server) kinds(w http.ResponseWriter, r *http.Request) error {
	if err := newQuery(r).err(); err != nil {
		return err
	}
	var o object
	o.open()
	o.name("kinds")
	o.b = appendList(o.b, s.options.Kinds, appendKind)
	o.close()
	writeTagged(w, r, jsonType, append(o.b, '\n'))
	return nil
}

func appendKind(dst []byte, item **kind.Kind) []byte {
	k, o := *item, object{b: dst}
	o.open()
	o.text("name", k.Name)
	o.text("purpose", k.Purpose)
	o.text("formula", k.Formula)
	o.text("text", k.Text)
	o.texts("variants", k.Variants)
	o.text("response", k.Response.String())
	o.truth("features", k.Features)
	o.truth("intercept", k.Intercept)
	o.text("groups", k.Groups.String())
	o.truth("exposure", k.Exposure)
	o.truth("time", k.Time)
	o.truth("ordered", k.Ordered)
	o.truth("draws", k.Draws)
	o.close()
	return o.b
}
