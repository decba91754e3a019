package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	sessionCookie = "credence_session"
	sessionLength = 12 * time.Hour
)

// authenticator knows who may come in. Without a token everybody may.
type authenticator struct {
	token [sha256.Size]byte // its digest
	key   []byte            // of sessions, nil: everybody may come in
	now   func() time.Time
}

// newAuthenticator derives the key of sessions from the token: they outlast a
// restart, hold for all processes with the same token and end with it.
func newAuthenticator(token string) *authenticator {
	d := &authenticator{now: time.Now}
	if token == "" {
		return d
	}
	d.token = sha256.Sum256([]byte(token))
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("credence session 1")) //nolint:errcheck // a hash takes everything
	d.key = mac.Sum(nil)
	return d
}

func (d *authenticator) open() bool { return d.key == nil }

// knows reports whether a text is the token. Digests are compared, so that the
// time it takes tells neither the token nor its length.
func (d *authenticator) knows(text string) bool {
	got := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(got[:], d.token[:]) == 1
}

// session returns the value of a cookie that is good until end: the time, and
// what only who has the key can add to it.
func (d *authenticator) session(end time.Time) string {
	text := strconv.FormatInt(end.Unix(), 10)
	return text + "." + base64.RawURLEncoding.EncodeToString(d.sign(text))
}

func (d *authenticator) sign(text string) []byte {
	mac := hmac.New(sha256.New, d.key)
	mac.Write([]byte(text)) //nolint:errcheck // a hash takes everything
	return mac.Sum(nil)
}

// valid reports whether a cookie's value is a session that has not ended.
func (d *authenticator) valid(value string) bool {
	text, signature, ok := strings.Cut(value, ".")
	if !ok {
		return false
	}
	given, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || !hmac.Equal(given, d.sign(text)) {
		return false
	}
	end, err := strconv.ParseInt(text, 10, 64)
	return err == nil && d.now().Before(time.Unix(end, 0))
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
