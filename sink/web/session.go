package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/credence-stream/credence/internal/access"
)

const (
	sessionCookie = "credence_session"
	sessionLength = 12 * time.Hour
)

// authenticator knows who may come in. Without a token everybody may.
type authenticator struct {
	keys func() keys
	now  func() time.Time
	over revoked
}

// keys are made of a token.
type keys struct {
	token [sha256.Size]byte // its digest
	key   []byte            // of sessions, nil: everybody may come in
}

// newKeys derives the key of sessions from the token: they outlast a restart, hold for all
// processes with the same token and end with it.
func newKeys(token string) keys {
	if token == "" {
		return keys{}
	}
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("credence session 1")) //nolint:errcheck // a hash takes everything
	return keys{token: sha256.Sum256([]byte(token)), key: mac.Sum(nil)}
}

func newAuthenticator(token string) *authenticator {
	k := newKeys(token)
	return &authenticator{keys: func() keys { return k }, now: time.Now}
}

// openAuthenticator is newAuthenticator with the token that is in a file at the time of a request;
// tell is told of one that is none.
func openAuthenticator(file string, tell func(error)) (*authenticator, error) {
	tokens, err := access.NewReread([]string{file}, func() (keys, error) {
		token, err := ReadToken(file)
		return newKeys(token), err
	}, tell)
	if err != nil {
		return nil, err
	}
	d := newAuthenticator("")
	d.keys = tokens.Now
	return d, nil
}

func (d *authenticator) open() bool { return d.keys().key == nil }

// knows reports whether a text is the token. Digests are compared, so that the
// time it takes tells neither the token nor its length.
func (d *authenticator) knows(text string) bool {
	got, want := sha256.Sum256([]byte(text)), d.keys().token
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// session returns the value of a cookie that is good until end: the time, a name of its own, and
// what only who has the key can add to them.
func (d *authenticator) session(end time.Time) string {
	text := strconv.FormatInt(end.Unix(), 10) + "-" + rand.Text()
	return text + "." + base64.RawURLEncoding.EncodeToString(d.sign(text))
}

func (d *authenticator) sign(text string) []byte {
	mac := hmac.New(sha256.New, d.keys().key)
	mac.Write([]byte(text)) //nolint:errcheck // a hash takes everything
	return mac.Sum(nil)
}

// valid reports whether a cookie's value is a session that has not ended.
func (d *authenticator) valid(value string) bool {
	text, end, ok := d.signed(value)
	return ok && d.now().Before(end) && !d.over.has(text, end)
}

// signed returns what a session says of itself, if it is one of ours.
func (d *authenticator) signed(value string) (text string, end time.Time, ok bool) {
	text, signature, ok := strings.Cut(value, ".")
	if !ok {
		return "", end, false
	}
	given, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || !hmac.Equal(given, d.sign(text)) {
		return "", end, false
	}
	seconds, _, _ := strings.Cut(text, "-")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return text, time.Unix(n, 0), err == nil
}

// revoke ends the sessions that a request brings, and reports whether there was one.
func (d *authenticator) revoke(r *http.Request) (ended bool) {
	if d.open() {
		return false
	}
	for _, c := range r.CookiesNamed(sessionCookie) {
		if text, end, ok := d.signed(c.Value); ok {
			ended = ended || d.valid(c.Value)
			d.over.add(text, end, d.now())
		}
	}
	return ended
}

// revoked are sessions that were ended before their time, by this process.
type revoked struct {
	mu    sync.Mutex
	ends  map[string]time.Time
	until time.Time // all sessions that end by then are over
}

// mostRevoked bounds what is remembered; beyond it all sessions of before are over.
const mostRevoked = 10_000

func (v *revoked) add(text string, end, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.ends) >= mostRevoked {
		maps.DeleteFunc(v.ends, func(_ string, end time.Time) bool { return end.Before(now) })
	}
	if len(v.ends) >= mostRevoked {
		v.until = now.Add(sessionLength)
		clear(v.ends)
	}
	if v.ends == nil {
		v.ends = map[string]time.Time{}
	}
	v.ends[text] = end
}

func (v *revoked) has(text string, end time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.ends[text]
	return ok || !end.After(v.until)
}

// admits reports whether a request may come in: it brings the token, or the
// cookie of a session.
func (d *authenticator) admits(r *http.Request) bool {
	if d.open() {
		return true
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "bearer") && d.knows(strings.TrimSpace(given)) {
		return true
	}
	for _, c := range r.CookiesNamed(sessionCookie) {
		if d.valid(c.Value) {
			return true
		}
	}
	return false
}

// cookie returns a session's cookie; an empty value ends the session.
func cookie(r *http.Request, value string) *http.Cookie {
	c := &http.Cookie{
		Name: sessionCookie, Value: value, Path: "/", MaxAge: int(sessionLength.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		// Whoever ends TLS in front of us says so.
		Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}
