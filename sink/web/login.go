package web

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

//go:embed login.html
var loginText string

//go:embed login.css
var loginStyle []byte

var loginPage = template.Must(template.New("login").Parse(loginText))

const loginLimit = 8 << 10 // bytes of the form

// serveLogin answers what everybody may ask for, to become somebody.
func (s *Server) serveLogin(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Path == "/login.css" {
		writeTagged(w, r, "text/css; charset=utf-8", loginStyle)
		return nil
	}
	if r.URL.Path == "/logout" {
		if p := s.keeper.revoke(r); p != nil {
			s.audit.left(r, p.Name)
		}
		http.SetCookie(w, cookie(r, ""))
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return nil
	}
	if r.Method == http.MethodPost {
		return s.login(w, r)
	}
	next := local(r.URL.Query().Get("next"))
	if _, in := s.keeper.admits(r); in {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	return writeLogin(w, http.StatusOK, next, false)
}

// login exchanges the token for a session.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, loginLimit)
	if err := r.ParseForm(); err != nil {
		return refuse(http.StatusBadRequest, "bad_form", "send the form fields token and next, at most %d bytes", loginLimit)
	}
	next := local(r.PostForm.Get("next"))
	all := s.keeper.passes()
	p := all.knows(strings.TrimSpace(r.PostForm.Get("token")))
	switch {
	case p != nil:
		http.SetCookie(w, cookie(r, p.session(s.keeper.now().Add(sessionLength))))
		s.audit.came(r, p.Name)
	case len(all) > 0:
		s.audit.refused(r, wrongLogin)
		return writeLogin(w, http.StatusUnauthorized, next, true)
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

func writeLogin(w http.ResponseWriter, status int, next string, wrong bool) error {
	var b bytes.Buffer
	if err := loginPage.Execute(&b, struct {
		Next  string
		Wrong bool
	}{next, wrong}); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a client that went away is not the server's failure
	return nil
}

// local returns a path of this server, "/" for anything else: whoever hands
// out links to /login must not choose where a visitor ends.
func local(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsFunc(next, func(c rune) bool { return c == '\\' || c < ' ' || c == 0x7f }) {
		return "/"
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, "/login") || strings.HasPrefix(u.Path, "/logout") {
		return "/"
	}
	return u.String()
}

// authorize lets in who brings the token or a session. Who looks at a page is
// sent to the login, all others are told how to come in.
func (s *Server) authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scope, admitted := s.keeper.admits(r)
		if !admitted && r.Header.Get("Authorization") != "" {
			s.audit.refused(r, wrongToken)
		}
		switch {
		case admitted:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), scoped{}, scope)))
		case (r.Method == http.MethodGet || r.Method == http.MethodHead) && fromBrowser(r):
			w.Header().Set("Cache-Control", "no-store")
			http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		default:
			w.Header().Set("WWW-Authenticate", `Bearer realm="credence"`)
			writeError(w, http.StatusUnauthorized, "unauthorized", "send the token as: Authorization: Bearer TOKEN")
		}
	})
}
