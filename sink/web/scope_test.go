package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/web/token"
)

// tenants has a token for each of the scopes that there are, and one of each role.
const tenants = `tokens:
  - {name: reader, scope: read, prefix: acme/, token: reader-of-acme-keys}
  - {name: operator, scope: operate, prefix: acme/, token: operator-of-acme-keys}
  - {name: auditor, scope: read, prefix: "", token: reader-of-all-keys}
  - {name: admin, scope: operate, prefix: "", token: operator-of-all-keys}
`

var tokens = map[string]string{
	"reader": "Bearer reader-of-acme-keys", "operator": "Bearer operator-of-acme-keys",
	"auditor": "Bearer reader-of-all-keys", "admin": "Bearer operator-of-all-keys",
}

// foreign are keys that the scopes of acme/ do not have; the first two have states, the last
// does not.
var foreign = []string{"other/one", "acme", "other/none"}

// shared is a server of two tenants, whose keys are in the store, among the events, the
// points and the dead letters.
func shared(t *testing.T, text string) (s *Server, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "tokens.yaml")
	write(t, file, text)
	s = newServer(t, func(o *Options) {
		withPage(o)
		o.TokensFile, o.Pprof = file, true
		sh := o.Store.(*shelf) //nolint:forcetypeassert // newServer puts it there
		keys := []string{"acme/one", "acme/two", "other/one", "acme"}
		o.Feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning, Reason: "other/one"})
		o.Feed.Event(pipeline.Event{Kind: "halted", Partition: shardsOf, Message: "other/one"})
		var points []*pipeline.Point
		for i, key := range keys {
			sp, b := flights(t, "reject")
			sh.put(t, key, sp, b)
			p := shardAt(key, int64(i), 1)
			p.Score.Rows, p.Score.PredictedRows = 3, 3
			points = append(points, p)
			sh.letters = append(sh.letters, Letter{Offset: int64(i), Key: []byte(key), Stage: "check", Reason: "of " + key})
		}
		sh.letters = append(sh.letters, Letter{Offset: 9, Stage: "check", Reason: "of other/null"})
		o.Feed.Saved(shardsOf, points)
	})
	return s, file
}

// requests has one for each route, with the statuses that each scope gets.
var requests = map[string]struct {
	method, target, body      string
	reader, operator, auditor int
}{
	"/metrics":                     {"GET", "/metrics", "", 403, 403, 403},
	"/v1/kinds":                    {"GET", "/v1/kinds", "", 200, 200, 200},
	"/v1/models":                   {"GET", "/v1/models", "", 200, 200, 200},
	"/v1/operations":               {"GET", "/v1/operations", "", 403, 403, 403},
	"/v1/dead-letters":             {"GET", "/v1/dead-letters", "", 403, 200, 403},
	"/v1/openapi.json":             {"GET", "/v1/openapi.json", "", 200, 200, 200},
	"/v1/calibration":              {"GET", "/v1/calibration", "", 200, 200, 200},
	"/v1/events":                   {"HEAD", "/v1/events", "", 200, 200, 200}, // TestScopeOfStreams reads it
	"/v1/models/{key}":             {"GET", "/v1/models/KEY", "", 200, 200, 200},
	"/v1/models/{key}/about":       {"GET", "/v1/models/KEY/about", "", 200, 200, 200},
	"/v1/models/{key}/history":     {"GET", "/v1/models/KEY/history", "", 200, 200, 200},
	"/v1/models/{key}/calibration": {"GET", "/v1/models/KEY/calibration?windows=3", "", 200, 200, 200},
	"/v1/models/{key}/contrast":    {"GET", "/v1/models/KEY/contrast?of=beta%5Bdistance%5D", "", 200, 200, 200},
	"/v1/models/{key}/observed":    {"GET", "/v1/models/KEY/observed", "", 200, 200, 200},
	"/v1/models/{key}/predict":     {"POST", "/v1/models/KEY/predict", `{"rows":[{"distance":120,"carrier":"AA"}]}`, 200, 200, 200},
	"/debug/pprof/":                {"GET", "/debug/pprof/cmdline", "", 403, 403, 403},
	"page":                         {"GET", "/", "", 200, 200, 200},
}

// TestScopeOfEveryRoute asks for all routes that there are with tokens of all scopes. A route
// that is new here fails until somebody has said who may have it.
func TestScopeOfEveryRoute(t *testing.T) {
	s, _ := shared(t, tenants)
	there := []string{"/debug/pprof/", "page"}
	for path, r := range s.paths() {
		there = append(there, path)
		if r.need == 0 {
			t.Errorf("%s does not say who may have it", path)
		}
	}
	for about := range s.keyed() {
		there = append(there, keyRoute(about))
	}
	slices.Sort(there)
	if known := slices.Sorted(maps.Keys(requests)); !slices.Equal(known, there) {
		t.Fatalf("there are routes %q, and this test knows %q", there, known)
	}
	for name, q := range requests {
		target := strings.Replace(q.target, "KEY", "acme%2Fone", 1)
		header := []string{"Content-Type", jsonType, "Authorization"}
		for who, want := range map[string]int{"reader": q.reader, "operator": q.operator, "auditor": q.auditor, "admin": 200} {
			status, _, body := send(s, q.method, target, q.body, append(header, tokens[who])...)
			if status != want {
				t.Errorf("%s: %s gets %d %.200s, want %d", name, who, status, body, want)
			}
			if status == 403 && errorCode(body) != "out_of_scope" {
				t.Errorf("%s: %s is refused with %s", name, who, body)
			}
			if (who == "reader" || who == "operator") && (strings.Contains(body, "other/") || strings.Contains(body, `"acme"`)) {
				t.Errorf("%s tells %s of keys that are not its: %s", name, who, body)
			}
		}
		if status, _, _ := send(s, q.method, target, q.body); status != 401 && name != "page" {
			t.Errorf("%s without a token: %d", name, status)
		}
	}
}

// TestForeignKeysAreUnknown: a key out of the scope answers as one does that nobody has, to the
// byte, in every route of a key and however it is asked for.
func TestForeignKeysAreUnknown(t *testing.T) {
	s, _ := shared(t, tenants)
	for about, m := range s.keyed() {
		q := requests[keyRoute(about)]
		for method := range m {
			path, query, _ := strings.Cut(q.target, "?")
			for _, form := range []string{q.target, strings.Replace(path, "/v1/models/KEY", "/v1/model", 1) + "?key=KEY&" + query} {
				answer := func(key string) string {
					status, h, body := send(s, method, strings.Replace(form, "KEY", strings.ReplaceAll(key, "/", "%2F"), 1), q.body,
						"Content-Type", jsonType, "Authorization", tokens["operator"])
					if status != 404 || errorCode(body) != "not_found" {
						t.Errorf("%s of %s: %d %s", form, key, status, body)
					}
					h.Del("Date")
					head, err := json.Marshal(h)
					if err != nil {
						t.Fatal(err)
					}
					return strings.ReplaceAll(string(head)+body, key, "KEY")
				}
				unknown := answer("acme/none")
				for _, key := range foreign {
					if got := answer(key); got != unknown {
						t.Errorf("%s of %s: %s, and of a key that is not there %s", form, key, got, unknown)
					}
				}
			}
		}
	}
}

// TestScopeOfLists: lists, searches, counts and sums are those of a server with the scope's
// keys alone.
func TestScopeOfLists(t *testing.T) {
	s, _ := shared(t, tenants)
	for query, want := range map[string]string{
		"?fields=key":                               `[acme/one acme/two] 2`,
		"?fields=key&prefix=acme":                   `[acme/one acme/two] 2`,
		"?fields=key&prefix=acme/t":                 `[acme/two] 2`,
		"?fields=key&prefix=other":                  `[] 2`,
		"?fields=key&contains=one":                  `[acme/one] 2`,
		"?fields=key&kind=linear":                   `[acme/one acme/two] 2`,
		"?fields=key&sort=rows":                     `[acme/one acme/two] 2`,
		"?fields=key&after=acme":                    `[acme/one acme/two] 2`,
		"?fields=key&limit=1":                       `[acme/one] 2`,
		"?fields=key&limit=1&after=acme/one":        `[acme/two] 2`,
		"?fields=key&key=other/one&key=acme/two":    `[acme/two] 2`,
		"?fields=key&key=other/one&key=other/none":  `[] 2`,
		"?fields=key&from=2000-01-01&key=other/one": `[] 2`,
	} {
		_, _, body := ask(s, "GET", "/v1/models"+query, "Authorization", tokens["reader"])
		var list struct {
			Models []struct{ Key string }
			Total  int64
			Next   *string
		}
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatalf("%s: %s", query, body)
		}
		keys := []string{}
		for _, m := range list.Models {
			keys = append(keys, m.Key)
		}
		text, err := json.Marshal(list.Total)
		if err != nil {
			t.Fatal(err)
		}
		if got := "[" + strings.Join(keys, " ") + "] " + string(text); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if list.Next != nil && !strings.HasPrefix(*list.Next, "acme/") {
			t.Errorf("%s: the next page begins after %q", query, *list.Next)
		}
	}
	for who, want := range map[string]string{"reader": `{"keys":2,`, "admin": `{"keys":4,`} {
		if _, _, body := ask(s, "GET", "/v1/calibration", "Authorization", tokens[who]); !strings.HasPrefix(body, want) {
			t.Errorf("calibration of %s: %.40s, want %s", who, body, want)
		}
	}
	if _, _, body := ask(s, "GET", "/v1/calibration?prefix=other", "Authorization", tokens["reader"]); !strings.HasPrefix(body, `{"keys":0,`) {
		t.Errorf("calibration of others: %.40s", body)
	}
	if _, _, body := ask(s, "GET", "/v1/dead-letters?limit=1", "Authorization", tokens["operator"]); !strings.Contains(body, "of acme/one") || strings.Contains(body, "of acme/two") || !strings.Contains(body, `"commands":{}`) {
		t.Errorf("dead letters: %s", body)
	}
	for who, want := range map[string]bool{"reader": false, "operator": true} {
		if _, _, body := ask(s, "GET", "/v1/models/acme%2Fone/about", "Authorization", tokens[who]); strings.Contains(body, "consumer get") != want {
			t.Errorf("commands for %s: %s", who, body)
		}
	}
}

// TestScopeOfStreams: a stream has the updates of the scope's keys, and ends when the scope is
// another one.
func TestScopeOfStreams(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	write(t, file, tenants)
	s, h, feed := streaming(t, 1<<20)
	var err error
	if s.keeper, err = openAuthenticator("", file, func(error) {}); err != nil {
		t.Fatal(err)
	}
	c := follow(t, h, "", "Authorization", tokens["reader"])
	c.next()
	for i, key := range []string{"other/one", "acme", "acme/one", "other/two", "acme/two"} {
		feed.Saved(shardsOf, []*pipeline.Point{shardAt(key, int64(i), 1)})
	}
	for _, want := range []string{"acme/one", "acme/two"} {
		if m := c.until("updates"); strings.Contains(m.data, "other/") || strings.Contains(m.data, `"acme"`) {
			t.Errorf("others' updates: %s", m.data)
		} else if strings.Contains(m.data, "acme/two") {
			break
		} else if !strings.Contains(m.data, want) {
			t.Errorf("%s, want %s", m.data, want)
		}
	}
	write(t, file, strings.ReplaceAll(tenants, "prefix: acme/", "prefix: acme/t"))
	for c.body.Scan() { // the test's patience ends what does not end
		if strings.Contains(c.body.Text(), "other/") {
			t.Error(c.body.Text())
		}
	}
	if err := c.body.Err(); err != nil {
		t.Errorf("the stream did not end: %v", err)
	}
}

// TestIdleStreamsEndWithTheToken: a stream in which nothing happens ends as well, and its last
// message has the page read anew.
func TestIdleStreamsEndWithTheToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	write(t, file, tenants)
	s, _, _ := streaming(t, 1<<20)
	h := httptest.NewServer(s.handler) // without the deadlines of that one, which a loaded machine misses
	t.Cleanup(h.Close)
	s.follow.pace.heartbeat = time.Hour
	var err error
	if s.keeper, err = openAuthenticator("", file, func(error) {}); err != nil {
		t.Fatal(err)
	}
	c := follow(t, h, "", "Authorization", tokens["reader"])
	c.next()
	write(t, file, strings.Replace(tenants, "reader-of-acme-keys", "another-token-of-acme", 1))
	if m := c.next(); m.event != "reset" {
		t.Errorf("the last message is %+v", m)
	}
	for c.body.Scan() {
		if text := c.body.Text(); text != "" {
			t.Errorf("after it comes %q", text)
		}
	}
	if err := c.body.Err(); err != nil {
		t.Errorf("the stream did not end: %v", err)
	}
}

// BenchmarkManyTokens: what it costs to know a token and a session among as many as a file may have.
func BenchmarkManyTokens(b *testing.B) {
	file, text := filepath.Join(b.TempDir(), "tokens.yaml"), "tokens:\n"
	for i := range 1000 {
		text += fmt.Sprintf("  - {name: tenant-%d, scope: read, prefix: tenant-%d/, token: a-token-of-forty-characters-for-%08d}\n", i, i, i)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	d, err := openAuthenticator("", file, func(err error) { b.Error(err) })
	if err != nil {
		b.Fatal(err)
	}
	bearer := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/v1/models", nil)
	bearer.Header.Set("Authorization", "Bearer a-token-of-forty-characters-for-00000999")
	login := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/v1/models", nil)
	all := d.passes()
	login.AddCookie(cookie(login, all[999].session(time.Now().Add(time.Hour))))
	for name, r := range map[string]*http.Request{"token": bearer, "session": login} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, in := d.admits(r); !in {
					b.Fatal("refused")
				}
			}
		})
	}
	b.Run("compare", func(b *testing.B) {
		for b.Loop() {
			if all.knows("a-token-of-forty-characters-for-00000999") == nil {
				b.Fatal("refused")
			}
		}
	})
	b.Run("reread", func(b *testing.B) {
		for b.Loop() {
			if _, err := token.ReadList(file); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestSessionsHaveTheScope: a session sees what its token may see at the time, and ends with the
// token, not with another one. Its lines have the token's name.
func TestSessionsHaveTheScope(t *testing.T) {
	s, file := shared(t, tenants)
	var log bytes.Buffer
	s.audit.log = slog.New(slog.NewJSONHandler(&log, nil))
	login := func(token string) string {
		_, h, _ := send(s, "POST", "/login", "token="+strings.TrimPrefix(token, "Bearer "), "Content-Type", form)
		value, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
		return value
	}
	one, all := login(tokens["reader"]), login(tokens["admin"])
	status := func(cookie, key string) int {
		code, _, _ := ask(s, http.MethodGet, "/v1/models/"+strings.ReplaceAll(key, "/", "%2F"), "Cookie", cookie)
		return code
	}
	check := func(when string, want ...int) {
		t.Helper()
		got := []int{status(one, "acme/one"), status(one, "acme/two"), status(one, "other/one"), status(all, "other/one")}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	check("at first", 200, 200, 404, 200)
	write(t, file, strings.Replace(tenants, "prefix: acme/,", "prefix: acme/o,", 1))
	check("narrowed", 200, 404, 404, 200)
	write(t, file, strings.Replace(tenants, "reader-of-acme-keys", "another-token-of-acme", 1))
	check("another token of the name", 401, 401, 401, 200)
	write(t, file, tenants)
	check("as before", 200, 200, 404, 200)
	write(t, file, strings.Replace(tenants, "name: reader", "name: renamed", 1))
	check("no token of the name", 401, 401, 401, 200)
	write(t, file, tenants)
	forged := strings.Replace(one, "-reader.", "-admin.", 1)
	if forged == one || status(forged, "acme/one") != 401 {
		t.Errorf("a session took another name: %s", forged)
	}
	if code, _, _ := send(s, "POST", "/logout", "", "Cookie", one); code != 303 {
		t.Errorf("logout: %d", code)
	}
	check("logged out", 401, 401, 401, 200)
	for _, want := range []string{`"msg":"login accepted","client":"192.0.2.1","token":"reader"`, `"msg":"logout","client":"192.0.2.1","token":"reader"`, `"token":"admin"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s: %s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "reader-of") {
		t.Error("the log has a token")
	}
}
