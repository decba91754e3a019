//go:build unix

package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/credence-stream/credence/testenv/programs"
)

// rowOf finds a key's row on the overview.
func rowOf(key string) string {
	return `[...document.querySelectorAll('[role=row]')].find(r => r.querySelector('.cell.key')?.textContent.trim() === ` + quote(key) + `)`
}

// published says, in the page, whether a posterior of the key with t shards
// has exactly these numbers, by what the API keeps of the past. It looks again
// for a moment: the page may have heard of a shard before the question.
const published = `async (key, t, numbers) => {
	const at = '/v1/models/' + encodeURIComponent(key) + '/history?limit=10000'
	const answer = await (await fetch(at)).json()
	const point = answer.points.find(p => p.t === t)
	if (!point) return 'no point ' + t + ' among ' + answer.points.length
	for (const [variable, column, value] of numbers) {
		const row = point.posterior.find(r => r.variable === variable)
		if (!row || row[column] !== value) return variable + ' ' + column + ': ' + value + ', the API has ' + row?.[column]
	}
	return ''
}`

// TestDemo looks at the demo as a newcomer does: posteriors of real flights
// that tighten, on every page, in all sizes and both schemes.
func TestDemo(t *testing.T) {
	browser := newBrowser(t)
	started := time.Now()
	demo := programs.Start(t, filepath.Join(scratch, "consumer"), "demo", "--no-browser", "--listen", "127.0.0.1:0")
	const key = "ATL"
	escaped := demo.Base + "/key/" + key

	t.Run("overview moves without a reload", func(t *testing.T) {
		b := newTab(t, browser, 1280, 900)
		b.open(demo.Base + "/")
		b.wait(rowOf(key)+`?.querySelector('.cell.mean').dataset.value`, "a mean of "+key)
		b.do(evaluate(`window.never = 'reloaded'`))
		before := value[string](b, rowOf(key)+`.querySelector('.cell.rows').textContent`)
		programs.Eventually(t, "more rows of "+key, func() (bool, error) {
			if strings.Contains(demo.Messages.String(), "flights are sent") {
				t.Log("NOT SEEN: all flights were sent before the page was looked at; TestOutage sends for as long as it looks")
				return true, nil
			}
			return value[bool](b, rowOf(key)+`.querySelector('.cell.rows').textContent !== `+quote(before)), nil
		})
		t.Logf("%.1f s from the start of the demo to the first band that moves", time.Since(started).Seconds())
		if got := value[string](b, `window.never || ''`); got != "reloaded" {
			t.Error("the page was loaded anew")
		}
		b.shot("light")
	})
	t.Run("values are the API's", func(t *testing.T) {
		b := newTab(t, browser, 1280, 900)
		b.open(demo.Base + "/")
		b.wait(rowOf(key)+`?.querySelector('.cell.mean').dataset.value`, "a mean of "+key)
		// One look at the page: what it shows together belongs together.
		b.agrees(fmt.Sprintf(`(async () => {
			const row = %s, n = +row.querySelector('.cell.rows').textContent.replace(/\D/g, '')
			const variable = row.querySelector('.cell.variable').textContent.trim()
			return (%s)(%q, n / 10, [[variable, 'mean', +row.querySelector('.cell.mean').dataset.value]])
		})()`, rowOf(key), published, key), "the overview's numbers as the API has them")
		b.open(escaped + "?view=diagnostics")
		b.wait(`document.querySelectorAll('.diagnostics tbody tr[aria-rowindex]').length === 3`, "three variables")
		b.agrees(fmt.Sprintf(`(async () => {
			const t = +document.querySelector('[data-testid=t]').dataset.value
			const columns = ['mean', 'q2.5', 'q25', 'median', 'q75', 'q97.5'], numbers = []
			for (const row of document.querySelectorAll('.diagnostics tbody tr[aria-rowindex]')) {
				const variable = row.querySelector('th').textContent.trim()
				row.querySelectorAll('td [data-value]').forEach((e, i) => numbers.push([variable, columns[i], +e.dataset.value]))
			}
			if (numbers.length !== 18) return numbers.length + ' numbers'
			return (%s)(%q, t, numbers)
		})()`, published, key), "the key's numbers as the API has them")
		b.shot("diagnostics")
	})
	t.Run("predict", func(t *testing.T) {
		b := newTab(t, browser, 1280, 1100)
		b.open(escaped + "?view=predict")
		b.wait(`document.querySelectorAll('form input').length >= 2`, "a field for each input")
		b.do(evaluate(`document.querySelector('form input').focus()`))
		b.press("1000" + kb.Tab + "9" + kb.Enter)
		b.wait(`document.querySelector('form + * [data-value], table [data-value]')`, "a prediction")
		// A shard may come between the page's question and ours: the page asks again.
		const asked = `fetch('/v1/models/` + key + `/predict', {method: 'POST', headers: {'Content-Type': 'application/json'},
			body: JSON.stringify({rows: [{distance: 1000, hour: 9}]})}).then(r => r.json()).then(a => a.predictions[0].mean)`
		b.wait(`(async () => {
			document.querySelector('form [type=submit], form button').click()
			const shown = +[...document.querySelectorAll('td[data-value]')].at(-1).dataset.value
			return shown === await `+asked+`
		})()`, "the prediction of the API")
		b.shot("light")
	})
	for _, p := range []struct{ name, path, wants string }{
		{"overview", "/", rowOf(key) + `.querySelector('.cell.bands canvas[aria-label^=Bands]')`},
		{"sorted overview", "/?sort=flags&within=hour&flag=prior_dominated", `document.querySelector('.cell.flags .badge')`},
		{"key over time", "/key/" + key + "?axis=time&range=all&scale=standard", `document.querySelector('.bands canvas') && document.querySelector('.forest-row')`},
		{"key", "/key/" + key, `document.querySelector('.bands canvas')`},
		{"diagnostics", "/key/" + key + "?view=diagnostics", `document.querySelector('.diagnostics tbody tr') && document.querySelector('.bands canvas')`},
		{"calibration of a key", "/key/" + key + "?view=calibration", `document.querySelector('main svg, main canvas')`},
		{"predict", "/key/" + key + "?view=predict", `document.querySelector('form input')`},
		{"how", "/key/" + key + "?view=how", `document.body.innerText.includes('consumer get ATL') && document.querySelector('.formula')?.textContent`},
		{"json", "/key/" + key + "?view=json", `document.querySelector('main pre')`},
		{"forest", "/forest?variable=beta%5Bdistance%5D", `document.querySelector('main svg, main canvas')`},
		{"calibration", "/calibration", `document.querySelector('main svg, main canvas')`},
		{"operations", "/operations", `document.querySelectorAll('main table tbody tr').length >= 4`},
		{"nowhere", "/no/such/page", `document.body.innerText.includes('Nothing here')`},
		{"unknown key", "/key/nobody", `document.body.innerText.includes('No model with this key')`},
	} {
		t.Run("every size, both schemes, no violation/"+strings.ReplaceAll(p.name, " ", "-"), func(t *testing.T) {
			for _, width := range axeWidths {
				b := newTab(t, browser, width, 900)
				if p.name == "unknown key" {
					b.excuse("404") // the browser's own line about a question that is meant to fail
				}
				b.open(demo.Base + p.path)
				for _, scheme := range []string{"light", "dark"} { // the open page follows the system
					b.scheme(scheme)
					b.wait(`matchMedia('(prefers-color-scheme: `+scheme+`)').matches && !!(`+p.wants+`)`, p.name)
					b.shot(fmt.Sprintf("%d-%s", width, scheme))
					b.accessible()
					if over := value[float64](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
						t.Errorf("at %d pixels the page is %v wider than its window", width, over)
					}
				}
				b.end() // what streams and is not looked at takes time from what is
			}
		})
	}
}
