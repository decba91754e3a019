//go:build unix

package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/credence-stream/credence/testenv/programs"
)

// hostile are keys that a page must show and link as the text that they are.
var hostile = []string{
	`<script>window.hurt = 1</script>`,
	`"><img src=x onerror="window.hurt = 2">`,
	`javascript:window.hurt=3`,
	`../../metrics`, `..`, `.`, `~`, `a/b/history`, `a//b`, `%2F%00`, `a?b#c&d=e`, ` leading and trailing `,
	"two\nlines", "tab\there", "\u202egnp.elif", "ünïcödé 中文 🙂", `{{constructor.constructor('window.hurt = 4')()}}`,
	strings.Repeat("long", 128),
	"class/<b>bold</b>",
}

// TestCrowd has ten thousand keys and hostile ones.
func TestCrowd(t *testing.T) {
	browser, w := newBrowser(t), newWorld(t)
	crowd := names(10_000)
	w.send(t, crowd...)
	w.send(t, hostile...)
	w.applied(t, len(crowd)+len(hostile))

	t.Run("all keys can be reached", func(t *testing.T) {
		b := newTab(t, browser, 1280, 900)
		b.open(w.Base + "/?sort=key")
		known := func(n int) string {
			return fmt.Sprintf(`document.body.innerText.replace(/[^\w ]/g, '').includes('%d of %d keys')`, n, len(crowd)+len(hostile))
		}
		b.wait(known(2_000), "the first keys of all")
		if n := value[float64](b, `document.querySelectorAll('[role=row]').length`); n > 200 {
			t.Errorf("%v rows are in the document at once", n)
		}
		b.do(evaluate(`document.querySelector('[role=grid]').focus()`))
		b.press(kb.End)
		b.wait(known(len(crowd)+len(hostile)), "all keys, once the end of the first was reached")
		b.press(kb.End)
		b.wait(rowOf("ünïcödé 中文 🙂"), "the last key in byte order after End")
		b.press("/" + "shop/19999")
		b.wait(rowOf("shop/19999")+` && document.querySelectorAll('.cell.key a').length === 1`, "one key for its name")
		b.wait(rowOf("shop/19999")+`.querySelector('.cell.mean').dataset.value`, "its mean")
		b.shot("search")
		b.press(kb.Enter)
		b.press(kb.Home + kb.Enter)
		b.wait(`location.pathname === '/key/shop%2F19999'`, "the page of the key that Enter opens")
		b.wait(`document.querySelector('.bands canvas')`, "its bands")
		b.do(evaluate(`history.back()`))
		b.wait(`location.pathname === '/' && new URLSearchParams(location.search).get('q') === 'shop/19999'`, "the search that was left")
	})
	t.Run("hostile keys are text", func(t *testing.T) {
		b := newTab(t, browser, 1280, 900)
		for _, key := range hostile {
			b.open(w.Base + "/?q=" + queryEscape(key))
			find := fmt.Sprintf(`[...document.querySelectorAll('.cell.key a')].find(a => a.textContent === %s || a.querySelector('[title]')?.title === %[1]s || a.title === %[1]s)`, quote(key))
			b.wait(find, "the key "+key)
			b.do(evaluate(find + `.click()`))
			b.wait(`document.querySelector('[data-testid=t]')?.dataset.value === '1'`, "the page of key "+key)
			if hurt := value[float64](b, `window.hurt || 0`); hurt != 0 {
				t.Errorf("key %q ran as a script", key)
			}
			address := value[string](b, `location.pathname`)
			b.open(w.Base + address)
			b.wait(`document.querySelector('[data-testid=t]')?.dataset.value === '1'`, "the page of key "+key+" at its address "+address)
		}
		b.open(w.Base + "/")
		b.wait(`document.querySelectorAll('.cell.key a').length > 10`, "rows")
		b.shot("hostile")
		b.accessible()
		if hurt := value[float64](b, `window.hurt || 0`); hurt != 0 {
			t.Error("a key ran as a script on the overview")
		}
	})
	t.Run("filters", func(t *testing.T) {
		b := newTab(t, browser, 1280, 900)
		b.open(w.Base + "/?kind=probit")
		b.wait(rowOf("class/<b>bold</b>")+` && document.querySelectorAll('.cell.key a').length === 1`, "the one probit model")
		kinds := value[string](b, `fetch('/v1/kinds').then(r => r.json()).then(a => a.kinds.map(k => k.name).join())`)
		const choice = `document.querySelector('select[aria-label="Kind of model"]')`
		b.wait(choice+`.value === 'probit' && [...`+choice+`.options].map(o => o.value).join() === `+quote(","+kinds), "the consumer's kinds to choose from")
	})
	t.Run("deleted while open", func(t *testing.T) {
		b := newTab(t, browser, 1280, 900)
		b.open(w.Base + "/key/shop%2F10007")
		// A question that is under way when the key goes is answered 404.
		b.wait(`document.querySelector('.bands canvas') && performance.getEntriesByType('resource').filter(r => r.name.includes('/history')).length === 2`, "the key's page, its past read in full")
		tombstone := w.record(t, "shop/10007")
		tombstone.Value = nil
		if err := w.client.ProduceSync(t.Context(), tombstone).FirstErr(); err != nil {
			t.Fatal(err)
		}
		b.wait(`document.body.innerText.includes('was deleted')`, "that the key was deleted")
		b.shot("deleted")
	})
	t.Run("dead letters", func(t *testing.T) {
		b := newTab(t, browser, 1280, 900)
		bad := w.record(t, "shop/10001")
		bad.Value = []byte("not Arrow")
		if err := w.client.ProduceSync(t.Context(), bad).FirstErr(); err != nil {
			t.Fatal(err)
		}
		b.open(w.Base + "/operations")
		b.wait(`document.body.innerText.includes('shop/10001') && document.body.innerText.includes('dead-letters replay')`, "the dead letter and how to replay it")
		b.shot("operations")
	})
}

// TestOutage takes broker and store away while the page is open.
func TestOutage(t *testing.T) {
	browser, w := newBrowser(t), newWorld(t)
	keys := names(20)
	w.send(t, keys...)
	w.applied(t, len(keys))
	b := newTab(t, browser, 1280, 900)
	b.excuse("503") // the browser's own lines about answers that are meant to fail
	b.excuse("ERR_")
	b.open(w.Base + "/")
	b.wait(rowOf(keys[0])+`?.querySelector('.cell.mean').dataset.value`, "a mean")

	c := newTab(t, browser, 1280, 1100)
	c.open(w.Base + "/key/" + url.PathEscape(keys[0]))
	c.wait(`document.querySelector('.bands canvas')`, "a chart")
	const picture, shards = `document.querySelector('.bands canvas').toDataURL()`, `+document.querySelector('[data-testid=t]').dataset.value`
	drawn, at := value[string](c, picture), value[float64](c, shards)
	w.send(t, keys...)
	c.wait(fmt.Sprintf(`%s > %v`, shards, at), "another shard, without a reload")
	c.wait(picture+` !== `+quote(drawn), "a chart that moves")
	c.end()

	if err := w.env.KillKafka(); err != nil {
		t.Fatal(err)
	}
	b.wait(`document.querySelector('.banner')?.innerText.includes('not ready')`, "that the consumer is not ready without Kafka")
	b.shot("kafka away")
	if v := value[string](b, rowOf(keys[0])+`.querySelector('.cell.mean').dataset.value`); v == "" {
		t.Error("the posterior went with the broker")
	}
	if err := w.env.StartKafka(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Readiness(t, 200)
	b.wait(`!document.querySelector('.banner')`, "that the consumer is ready again")
	before := value[string](b, rowOf(keys[0])+`.querySelector('.cell.rows').textContent`)
	w.send(t, keys...)
	b.wait(rowOf(keys[0])+`.querySelector('.cell.rows').textContent !== `+quote(before), "new rows after the outage, without a reload")

	if err := w.env.KillRedis(); err != nil {
		t.Fatal(err)
	}
	b.wait(`document.querySelector('.banner')`, "that something is wrong without Redis")
	b.shot("redis away")
	if err := w.env.StartRedis(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.wait(`!document.querySelector('.banner')`, "that the consumer is ready again after Redis")

	w.Stop(t)
	b.wait(`document.querySelector('.banner.bad')`, "that the consumer does not answer")
	b.shot("consumer away")
}

// TestLogin opens the page of a consumer with a token.
func TestLogin(t *testing.T) {
	browser, w := newBrowser(t), newWorld(t, "http.token_file="+tokenFile(t, "open-sesame-open-sesame"))
	b := newTab(t, browser, 1280, 900)
	b.excuse("401")
	b.do(navigate(w.Base + "/operations"))
	b.wait(`location.pathname === '/login' && document.querySelector('input[name=token]')`, "the login")
	b.shot("login")
	b.accessible()
	b.do(evaluate(`document.querySelector('input[name=token]').focus()`))
	b.press("wrong" + kb.Enter)
	b.wait(`location.pathname === '/login' && document.body.innerText.toLowerCase().includes('not')`, "that a wrong token is refused")
	b.do(evaluate(`document.querySelector('input[name=token]').focus()`))
	b.press("open-sesame-open-sesame" + kb.Enter)
	b.wait(`location.pathname === '/operations' && document.querySelectorAll('main table tbody tr').length >= 4`, "the page that was asked for")
	if seen := value[string](b, `document.cookie`); seen != "" {
		t.Errorf("scripts see the cookie %q", seen)
	}
	programs.Eventually(t, "live updates with the cookie", func() (bool, error) {
		w.send(t, "only")
		return value[float64](b, `fetch('/v1/models').then(r => r.json()).then(l => l.total)`) == 1, nil
	})
}
