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
	o := newObject()
	appendList(&o, "kinds", s.options.Kinds, appendKind)
	writeTagged(w, r, jsonType, o.line())
	return nil
}

func appendKind(o *object, item **kind.Kind) {
	k := *item
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
}
