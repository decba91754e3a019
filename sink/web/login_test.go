package web

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func closed(o *Options) { o.Token = "secret"; withPage(o) }

func TestToken(t *testing.T) {
	s := newServer(t, closed)
	for _, target := range []string{"/metrics", "/v1/models/flights%2FATL", "/v1/models", "/v1/events", "/nothing", "/", "/assets/app-1a2b.js", "/v1/openapi.json"} {
		for _, given := range []string{"", "Bearer wrong", "Bearer secretly", "Basic secret", "Bearer "} {
			method := "GET"
			if target == "/v1/events" {
				method = "HEAD" // the stream of who gets in does not end
			}
			status, header, body := ask(s, method, target, "Authorization", given)
			if status != 401 || errorCode(body) != "unauthorized" || header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %q: %d %s, want 401", target, given, status, body)
			}
		}
		if status, _, _ := ask(s, "HEAD", target, "Authorization", "bearer secret"); status == 401 {
			t.Errorf("%s with the token: 401", target)
		}
	}
}

const form = "application/x-www-form-urlencoded"

// session logs in and returns the cookie.
func session(t *testing.T, s *Server) string {
	t.Helper()
	status, h, body := send(s, "POST", "/login", "token=secret&next=%2Fkey%2Fa", "Content-Type", form)
	if status != 303 || h.Get("Location") != "/key/a" {
		t.Fatalf("login: %d to %q: %s", status, h.Get("Location"), body)
	}
	c := h.Get("Set-Cookie")
	for _, want := range []string{sessionCookie + "=", "HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(c, want) {
			t.Errorf("cookie %q has no %s", c, want)
		}
	}
	if strings.Contains(c, "secret") || strings.Contains(c, "Secure") {
		t.Errorf("cookie %q holds the token, or is for TLS alone", c)
	}
	value, _, _ := strings.Cut(c, ";")
	return value
}

func TestLogin(t *testing.T) {
	s := newServer(t, closed)
	status, h, _ := ask(s, "GET", "/key/a?b=1&c=%2F", "Accept", browser)
	if want := "/login?next=" + url.QueryEscape("/key/a?b=1&c=%2F"); status != 303 || h.Get("Location") != want {
		t.Errorf("a browser is sent to %d %q, want %q", status, h.Get("Location"), want)
	}
	status, h, body := ask(s, "GET", "/login?next=%2Fkey%2F%22%3Cb%3E", "Accept", browser)
	if status != 200 || !strings.HasPrefix(h.Get("Content-Type"), "text/html") || strings.Contains(body, "<script") || strings.Contains(body, "<b>") || !strings.Contains(body, `name="token"`) {
		t.Errorf("login page: %d %v %s", status, h, body)
	}
	if status, h, body = send(s, "POST", "/login", "token=wrong", "Content-Type", form); status != 401 || h.Get("Set-Cookie") != "" || !strings.Contains(body, "not the token") {
		t.Errorf("wrong token: %d %v %s", status, h, body)
	}
	if status, h, body = send(s, "POST", "/login", "token=", "Content-Type", form); status != 401 || h.Get("Set-Cookie") != "" {
		t.Errorf("no token: %d %v %s", status, h, body)
	}
	c := session(t, s)
	for _, target := range []string{"/v1/models", "/", "/metrics"} {
		if status, _, body := ask(s, "GET", target, "Cookie", c, "Accept", browser); status != 200 {
			t.Errorf("%s with a session: %d %.80s", target, status, body)
		}
	}
	if status, h, _ = ask(s, "GET", "/login?next=%2Fx", "Cookie", c); status != 303 || h.Get("Location") != "/x" {
		t.Errorf("login with a session: %d %q", status, h.Get("Location"))
	}
	if status, h, _ = send(s, "POST", "/logout", "", "Cookie", c); status != 303 || !strings.Contains(h.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("logout: %d %v", status, h)
	}
	if _, h, _ = send(s, "POST", "/login", "token=secret", "Content-Type", form, "X-Forwarded-Proto", "https"); !strings.Contains(h.Get("Set-Cookie"), "Secure") {
		t.Errorf("behind TLS: %v", h)
	}
	if status, _, body := send(s, "POST", "/login", "token="+strings.Repeat("x", loginLimit), "Content-Type", form); status != 400 {
		t.Errorf("a long form: %d %s", status, body)
	}
}

// A session is nobody's to make or to prolong, and ends.
func TestForgedSessions(t *testing.T) {
	s := newServer(t, closed)
	good := session(t, s)
	end, signature, _ := strings.Cut(strings.TrimPrefix(good, sessionCookie+"="), ".")
	foreign := newAuthenticator("other").passes().knows("other").session(time.Now().Add(time.Hour))
	for what, value := range map[string]string{
		"none": "", "no signature": end, "empty signature": end + ".", "the end moved": "9" + end + "." + signature,
		"another token's": foreign, "the token": "secret", "not base64": end + ".!", "signed without a key": new(pass).session(time.Now().Add(time.Hour)),
		"ended": s.keeper.passes().knows("secret").session(time.Now().Add(-time.Second)),
	} {
		if status, _, body := ask(s, "GET", "/v1/models", "Cookie", sessionCookie+"="+value); status != 401 {
			t.Errorf("%s: %d %.80s", what, status, body)
		}
	}
	if status, _, _ := ask(s, "GET", "/v1/models", "Cookie", good); status != 200 {
		t.Errorf("a good one: %d", status)
	}
	later := time.Now().Add(sessionLength + time.Minute)
	s.keeper.now = func() time.Time { return later }
	if status, _, _ := ask(s, "GET", "/v1/models", "Cookie", good); status != 401 {
		t.Errorf("after its end: %d", status)
	}
}

// A page of another origin sends nothing in a visitor's name.
func TestCrossOrigin(t *testing.T) {
	s := newServer(t, closed)
	c := session(t, s)
	body := `{"rows":[{"distance":1,"carrier":"AA"}]}`
	for _, h := range []struct {
		name, value string
		want        int
	}{
		{"Sec-Fetch-Site", "cross-site", 403}, {"Sec-Fetch-Site", "same-site", 403}, {"Origin", "http://evil.example", 403}, {"Origin", "null", 403},
		{"Sec-Fetch-Site", "same-origin", 200}, {"Sec-Fetch-Site", "none", 200}, {"Origin", "http://localhost", 200}, {"X-Nothing", "", 200},
	} {
		if status, _, answer := send(s, "POST", "/v1/models/flights%2FATL/predict", body, "Content-Type", jsonType, "Cookie", c, h.name, h.value); status != h.want {
			t.Errorf("%s %s: %d %s, want %d", h.name, h.value, status, answer, h.want)
		}
	}
	for _, path := range []string{"/login", "/logout"} {
		if status, _, _ := send(s, "POST", path, "token=secret", "Content-Type", form, "Origin", "http://evil.example"); status != 403 {
			t.Errorf("%s from elsewhere: %d", path, status)
		}
	}
}

func TestNextIsLocal(t *testing.T) {
	for next, want := range map[string]string{
		"/": "/", "/key/a?b=c": "/key/a?b=c", "/key/a%2Fb": "/key/a%2Fb", "": "/", "key": "/", "//evil.example": "/", "/\\evil.example": "/",
		"https://evil.example": "/", "/%2F/evil.example": "/", "/\tx": "/", "/login?next=/": "/", "/logout": "/", "javascript:alert(1)": "/",
	} {
		if got := local(next); got != want {
			t.Errorf("%q becomes %q, want %q", next, got, want)
		}
	}
}
