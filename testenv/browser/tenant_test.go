//go:build unix

package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestPageOfATenant looks at every view with tokens that are for the keys of one tenant: it has
// these keys and no others, says why it has not what is of the whole process, and goes to the
// login when the token is taken away, also where nothing happens.
func TestPageOfATenant(t *testing.T) {
	browser, file := newBrowser(t), filepath.Join(t.TempDir(), "tokens.yaml")
	const reader, operator = "reader-of-the-keys-of-acme", "operator-of-the-keys-of-acme"
	tokens := func(names ...string) {
		t.Helper()
		text := "tokens:\n  - {name: all, scope: operate, prefix: \"\", token: " + everything + "}\n"
		for name, entry := range map[string]string{
			"reader":   "  - {name: reader, scope: read, prefix: acme/, token: " + reader + "}\n",
			"operator": "  - {name: operator, scope: operate, prefix: acme/, token: " + operator + "}\n",
		} {
			if strings.Contains(strings.Join(names, " "), name) {
				text += entry
			}
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tokens("reader", "operator")
	w := newWorld(t, "http.tokens_file="+file)
	mine, others := []string{"acme/one", "acme/two"}, []string{"labs/one", "labs/two", "acme"}
	w.send(t, append(mine, others...)...)
	for _, key := range []string{"acme/bad", "labs/bad"} { // dead letters
		r := w.record(t, key)
		r.Value = []byte("no shard")
		if err := w.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	as := func(token, path string) *tab {
		t.Helper()
		b := newTab(t, browser, 1280, 900)
		b.excuse("403") // of the operations, which the page asks for to know whether it may
		b.excuse("401") // once the token is gone
		b.do(navigate(w.Base + path))
		b.wait(`location.pathname === '/login' && document.querySelector('input[name=token]')`, "the login")
		b.do(evaluate(`document.querySelector('input[name=token]').focus()`))
		b.press(token + kb.Enter)
		b.wait(`location.pathname === `+quote(path), "the page that was asked for")
		return b
	}
	// out looks for what is not the tenant's, in what the page says and in all that it holds.
	out := func(b *tab, where string) {
		t.Helper()
		for _, name := range []string{"labs", everything} {
			if value[bool](b, `document.documentElement.outerHTML.includes(`+quote(name)+`)`) {
				t.Errorf("%s shows %q:\n%.1000s", where, name, b.text())
			}
		}
		if value[bool](b, `!!document.querySelector('.banner, [role=alert]')`) {
			t.Errorf("%s has an alarm:\n%.1000s", where, b.text())
		}
	}

	b := as(reader, "/")
	for _, key := range mine {
		b.wait(rowOf(key)+`?.querySelector('.cell.mean')?.dataset.value`, "the row of "+key)
	}
	if n := value[float64](b, `document.querySelectorAll('.cell.key a').length`); n != 2 {
		t.Errorf("%v keys are listed", n)
	}
	b.wait(`document.querySelectorAll('.totals .total').length === 1 && document.querySelector('.totals dd').textContent === '2'`, "the number of the tenant's keys, and nothing of the process")
	out(b, "keys")
	b.accessible()
	const part = `document.querySelector('[role=tabpanel]')?.innerText.trim() && !document.querySelector('main .loading')`
	for _, view := range []struct{ path, ready string }{
		{"/key/acme%2Fone", `document.querySelector('.variables-list [role=row]')`},
		{"/key/acme%2Fone?view=how", `document.body.innerText.includes('stored state')`},
		{"/key/acme%2Fone?view=json", `document.querySelector('pre.json')`},
		{"/key/acme%2Fone?view=diagnostics", part}, {"/key/acme%2Fone?view=calibration", part}, {"/key/acme%2Fone?view=observed", part},
		{"/key/acme%2Fone?view=contrast", part}, {"/key/acme%2Fone?view=effects", part}, {"/key/acme%2Fone?view=predict", part},
		{"/forest", `document.querySelector('main svg, main canvas, main h1')`},
		{"/compare", `document.querySelector('main h1')`},
		{"/calibration", `document.querySelector('main h1')`},
	} {
		b.do(navigate(w.Base + view.path))
		b.wait(view.ready, "the view "+view.path)
		out(b, "reader"+strings.NewReplacer("/", " ", "%2F", " ", "?", " ").Replace(view.path))
		if strings.Contains(view.path, "how") && strings.Contains(b.text(), "In a terminal") {
			t.Error("who only reads is told of commands")
		}
	}
	b.do(navigate(w.Base + "/key/labs%2Fone"))
	b.excuse("404")
	b.wait(`document.querySelector(".empty")?.innerText.includes("No model with this key")`, "that there is no such key")
	b.do(navigate(w.Base + "/operations"))
	b.wait(`document.querySelector('.operations form button')`, "why there are no operations")
	out(b, "operations of a reader")
	if text := b.text(); strings.Contains(strings.ToLower(text), "dead letters") || !strings.Contains(text, "read of the keys that begin with acme/") {
		t.Errorf("operations for who only reads:\n%.1000s", text)
	}

	// The session of the first tab is every tab's: out of it, and in with another token.
	b.do(evaluate(`document.querySelector('.operations form button').click()`))
	b.wait(`location.pathname === '/login'`, "the login after the log-out")
	b = as(operator, "/operations")
	b.wait(`document.querySelector('#dead-letters tbody tr')?.innerText.includes('acme/bad')`, "the dead letter of the tenant")
	out(b, "operations of an operator")
	b.accessible()
	b.shot("operations")
	if text := b.text(); strings.Contains(text, "replay") {
		t.Errorf("commands about all dead letters for who may not have them:\n%.1000s", text)
	}
	b.do(navigate(w.Base + "/key/acme%2Fone?view=how"))
	b.wait(`document.body.innerText.includes('In a terminal')`, "commands for who operates")

	// Where nothing happens, too, the page goes when the token does.
	b.do(navigate(w.Base + "/"))
	b.wait(rowOf(mine[0]), "the list of keys")
	b.wait(`document.querySelector('.connection .badge')`, "a stream")
	tokens("reader")
	b.wait(`location.pathname === '/login'`, "the login once the token is gone")
}

// everything is the token of who may see all keys.
const everything = "token-of-the-one-who-sees-all"
