package web

import (
	"context"
	"net/http"

	"github.com/credence-stream/credence/sink/live"
	"github.com/credence-stream/credence/sink/web/token"
)

// need says who may ask for a route. A route that does not say is for whoever may see
// everything.
type need uint8

const (
	needAll      need = iota + 1 // it tells of the process, or of all keys together
	needOperator                 // it tells of keys what operators need, of those in the scope
	needKeys                     // it tells of keys, of those in the scope
	needNothing                  // it tells of no key
)

// met reports whether a scope has what is needed.
func (n need) met(s token.Scope) bool {
	switch n {
	case needNothing:
		return true
	case needKeys:
		return s.Role != ""
	case needOperator:
		return s.Operates()
	default:
		return s.Whole()
	}
}

// check refuses a request that may not have what it asks for.
func (n need) check(r *http.Request) error {
	s := scopeOf(r)
	if n.met(s) {
		return nil
	}
	if n == needOperator {
		return refuse(http.StatusForbidden, "out_of_scope", "this token may %s; this takes the scope %s", s, token.Operator)
	}
	return refuse(http.StatusForbidden, "out_of_scope", "this token may %s; this takes the scope %s and the prefix of all keys, which is empty", s, token.Operator)
}

// scoped is where a request's context has what it may see.
type scoped struct{}

// scopeOf returns what a request may see: nothing, unless it was let in.
func scopeOf(r *http.Request) token.Scope {
	s, _ := r.Context().Value(scoped{}).(token.Scope)
	return s
}

// route is what one path answers, and to whom.
type route struct {
	need
	methods
}

// blind returns a server that has no key. It answers for the keys that a request may not
// see, so that they are what no key is: there is no other code for them that could differ.
func (s *Server) blind() *Server {
	o := s.options
	o.Store, o.Feed = keyless{o.Store}, live.New(0)
	return &Server{options: o, turns: s.turns, arrival: s.arrival}
}

// keyless is a store without models.
type keyless struct{ Store }

func (keyless) Model(context.Context, string) (*Model, error) { return nil, nil }
