package web

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

// The kinds are those that the program was given, whatever they are.
func TestKinds(t *testing.T) {
	level := &kind.Kind{
		Name: "level", Purpose: "a level", Formula: "y < θ", Text: "The \"level\".", Variants: []string{"one", "two"},
		Response: kind.Binary, Groups: kind.OneGroup, Time: true, Ordered: true, Draws: true,
	}
	s := newServer(t, func(o *Options) { o.Kinds = append(models.Kinds(), level) })
	status, h, body := ask(s, "GET", "/v1/kinds")
	const want = `{"name":"level","purpose":"a level","formula":"y < θ","text":"The \"level\".","variants":["one","two"],"response":"binary",` +
		`"features":false,"intercept":false,"groups":"one","exposure":false,"time":true,"ordered":true,"draws":true}]}` + "\n"
	if status != 200 || !strings.HasSuffix(body, want) {
		t.Errorf("%d %s, want at its end %s", status, body, want)
	}
	var a struct {
		Kinds []struct{ Name, Formula, Response, Groups string }
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, k := range a.Kinds {
		names = append(names, k.Name)
		if known := s.options.Kinds[i]; k.Formula != known.Formula || k.Response != known.Response.String() || k.Groups != known.Groups.String() {
			t.Errorf("%s: %+v", known.Name, k)
		}
	}
	if !slices.Equal(names, append(models.Kinds().Names(), "level")) {
		t.Errorf("in the order %q", names)
	}
	if status, _, body := ask(s, "GET", "/v1/kinds", "If-None-Match", h.Get("ETag")); status != 304 || body != "" {
		t.Errorf("with its tag: %d %q", status, body)
	}
	if status, _, body := ask(s, "GET", "/v1/kinds?kind=level"); status != 400 || errorCode(body) != "bad_query" {
		t.Errorf("with a parameter: %d %s", status, body)
	}
}

// A filter takes the kinds of the program and no other.
func TestKindFilter(t *testing.T) {
	var store *shelf
	level := &kind.Kind{Name: "level"}
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf); o.Kinds = append(models.Kinds(), level) }) //nolint:forcetypeassert // made here
	sp, b := flights(t, "reject")
	sp.Kind = level.Name
	store.put(t, "a/level", sp, b)
	if got, _ := walk(t, s, url.Values{"kind": {"level"}}); !slices.Equal(got, []string{"a/level"}) {
		t.Errorf("models of the kind level: %q", got)
	}
	for _, path := range []string{"/v1/models", "/v1/calibration"} {
		if status, _, body := ask(s, "GET", path+"?kind=level"); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
		status, _, body := ask(newServer(t, nil), "GET", path+"?kind=level")
		if want := `kind: \"level\" is none of: ` + strings.Join(models.Kinds().Names(), ", "); status != 400 || !strings.Contains(body, want) {
			t.Errorf("%s of a program without it: %d %s, want 400 with %s", path, status, body, want)
		}
	}
}
