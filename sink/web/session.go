package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/sink/web/token"
)

const (
	sessionCookie = "credence_session"
	sessionLength = 12 * time.Hour
)

// authenticator knows who may come in. Without a token everybody may.
type authenticator struct {
	passes func() passes // that there are by then; none: everybody may come in
	now    func() time.Time
	over   revoked
}

// pass is a token and what is made of it.
type pass struct {
	token.Scope
	digest digest // of the token
	key    []byte // of sessions
}

// digest is a SHA-256 of a token in words.
type digest [4]uint64

func digestOf(text string) (d digest) {
	sum := sha256.Sum256([]byte(text))
	for i := range d {
		d[i] = binary.NativeEndian.Uint64(sum[8*i:])
	}
	return d
}

// passes are those of one look at the files, which each request takes once.
type passes []pass

// newPass derives the key of sessions from the token: they outlast a restart, hold for all
// processes with the same token and end with it. What they may see is not a part of them, but
// what the token's scope is by then.
func newPass(t token.Token) pass {
	mac := hmac.New(sha256.New, []byte(t.Text))
	mac.Write([]byte("credence session 1")) //nolint:errcheck // a hash takes everything
	return pass{Scope: t.Scope, digest: digestOf(t.Text), key: mac.Sum(nil)}
}

// newAuthenticator is of one token that may see everything, "" for none.
func newAuthenticator(text string) *authenticator {
	var all passes
	if text != "" {
		all = append(all, newPass(token.Token{Scope: token.All, Text: text}))
	}
	return &authenticator{passes: func() passes { return all }, now: time.Now}
}

// openAuthenticator is newAuthenticator with the token that is in a file at the time of a request,
// or the tokens that are in a list; tell is told of a file that cannot be read by then.
func openAuthenticator(file, list string, tell func(error)) (*authenticator, error) {
	tokens, err := access.NewReread([]string{file, list}, func() (all passes, err error) {
		if list != "" {
			several, err := token.ReadList(list)
			for _, t := range several {
				all = append(all, newPass(t))
			}
			return all, err
		}
		one, err := token.Read(file)
		return passes{newPass(token.Token{Scope: token.All, Text: one})}, err
	}, tell)
	if err != nil {
		return nil, err
	}
	d := newAuthenticator("")
	d.passes = tokens.Now
	return d, nil
}

// knows returns the pass of a token, nil if there is none. All digests are compared, so that
// the time it takes tells neither a token nor its length nor its place, and word by word, so that
// a thousand of them cost less than the digest of the one that is asked about.
func (all passes) knows(text string) (found *pass) {
	got := digestOf(text)
	for i := range all {
		d := &all[i].digest
		if (got[0]^d[0])|(got[1]^d[1])|(got[2]^d[2])|(got[3]^d[3]) == 0 {
			found = &all[i]
		}
	}
	return found
}

// session returns the value of a cookie that is good until end: the time, a name of its own, the
// name of the token if it has one, and what only who has the key can add to them.
func (p *pass) session(end time.Time) string {
	text := strconv.FormatInt(end.Unix(), 10) + "-" + rand.Text()
	if p.Name != "" {
		text += "-" + p.Name
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(p.sign(text))
}

func (p *pass) sign(text string) []byte {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(text)) //nolint:errcheck // a hash takes everything
	return mac.Sum(nil)
}

// valid returns the pass that a cookie's value is a session of, nil if it is none or has ended.
func (d *authenticator) valid(all passes, value string) *pass {
	p, text, end := all.signed(value)
	if p == nil || !d.lasts(text, end) {
		return nil
	}
	return p
}

// lasts reports whether a session that was signed has not ended.
func (d *authenticator) lasts(text string, end time.Time) bool {
	return d.now().Before(end) && !d.over.has(text, end)
}

// signed returns what a session says of itself, if it is one of a token that there is.
func (all passes) signed(value string) (p *pass, text string, end time.Time) {
	text, signature, _ := strings.Cut(value, ".")
	given, err := base64.RawURLEncoding.DecodeString(signature)
	parts := strings.SplitN(text, "-", 3)
	seconds, wrong := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || wrong != nil || len(parts) < 2 {
		return nil, "", end
	}
	name := strings.Join(parts[2:], "")
	for i := range all {
		if one := &all[i]; one.Name == name && hmac.Equal(given, one.sign(text)) {
			return one, text, time.Unix(seconds, 0)
		}
	}
	return nil, "", end
}

// revoke ends the sessions that a request brings, and returns the pass of one, nil if there was none.
func (d *authenticator) revoke(r *http.Request) (ended *pass) {
	all := d.passes()
	for _, c := range r.CookiesNamed(sessionCookie) {
		if p, text, end := all.signed(c.Value); p != nil {
			if d.lasts(text, end) {
				ended = p
			}
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

// admits returns what a request may see, which brings a token or the cookie of a session, and
// false if it brings neither. A token goes before a cookie.
func (d *authenticator) admits(r *http.Request) (token.Scope, bool) {
	all := d.passes()
	if len(all) == 0 {
		return token.All, true
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "bearer") {
		if p := all.knows(strings.TrimSpace(given)); p != nil {
			return p.Scope, true
		}
	}
	for _, c := range r.CookiesNamed(sessionCookie) {
		if p := d.valid(all, c.Value); p != nil {
			return p.Scope, true
		}
	}
	return token.Scope{}, false
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
