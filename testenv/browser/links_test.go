//go:build unix

package browser

import (
	"fmt"
	"testing"
)

// answered are models whose keys have quantities of each kind and units.
const answered = `
  - match: "**"
    kind: linear
    columns: {response: y, features: [x]}
    units: {y: EUR, x: m}
    publish:
      quantities:
        - {name: double, of: "2*beta[x]"}
        - {probability: "double > 3.5"}
        - {predict: {x: 1.5}}
    alerts: [{name: steep, when: "P(beta[x] > 1) > 0.9"}]
`

// TestQuantities compares the cards of a key's quantities with the API.
func TestQuantities(t *testing.T) {
	browser, w := newBrowser(t), newWorldOf(t, answered)
	keys := names(12)
	for range 3 {
		w.send(t, keys...)
	}
	w.applied(t, 3*len(keys))
	b := newTab(t, browser, 1400, 1000)
	b.open(w.Base + "/key/shop%2F10003")
	b.wait(`document.querySelectorAll('.quantity').length === 3 && document.querySelector('.bands canvas')`, "three quantities")
	b.agrees(`(async () => {
		const p = await (await fetch('/v1/models/shop%2F10003')).json()
		const cards = [...document.querySelectorAll('.quantity')]
		const wrong = []
		for (const [i, q] of p.quantities.entries()) {
			const row = p.posterior.find(r => r.variable === q.name)
			const want = q.kind === 'probability' ? [row.mean] : [row.median ?? row.mean, row['q2.5'], row['q97.5']]
			const shown = [...cards[i].querySelectorAll('[data-value]')].map(e => +e.dataset.value)
			if (shown.join() !== want.join()) wrong.push(q.name + ': ' + shown + ', the API has ' + want)
			if (document.querySelector('.variables').innerText.includes(q.name)) wrong.push(q.name + ' is among the variables')
		}
		if (p.alerts?.join() !== 'steep' || !document.querySelector('[aria-labelledby=quantities-title]').innerText.includes('steep')) wrong.push('alerts ' + p.alerts)
		return wrong.join('; ')
	})()`, "the quantities of the API")
	b.wait(`document.body.innerText.includes('EUR/m')`, "the unit of a coefficient")
	for _, width := range axeWidths {
		b := newTab(t, browser, width, 1000)
		b.open(w.Base + "/key/shop%2F10003")
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			b.wait(`document.querySelectorAll('.quantity').length === 3 && document.querySelector('.bands canvas')`, "three quantities")
			b.shot(fmt.Sprintf("%d-%s", width, scheme))
			b.accessible()
			if over := value[float64](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("at %d pixels the page is %v wider than its window", width, over)
			}
		}
	}
}

// TestForestValues compares the lines of the forest with the API.
func TestForestValues(t *testing.T) {
	browser, w := newBrowser(t), newWorldOf(t, answered)
	keys := names(12)
	w.send(t, keys...)
	w.applied(t, len(keys))
	b := newTab(t, browser, 1400, 1000)
	b.open(w.Base + "/forest?variable=beta%5Bx%5D&sort=key")
	b.wait(`document.querySelector('.forest-row')`, "lines")
	b.agrees(`(async () => {
		const fold = document.querySelector('.folded button')
		fold?.click()
		await new Promise(requestAnimationFrame)
		await new Promise(requestAnimationFrame)
		const list = (await (await fetch('/v1/models?variables=beta%5Bx%5D')).json()).models
		const shown = [...document.querySelectorAll('.forest-row')].map(r => r.querySelector('.name').textContent.trim() + ' ' + r.querySelector('.forest-figures').dataset.value).sort()
		const want = list.map(m => m.key + ' ' + m.posterior[0].median).sort()
		return shown.join() === want.join() ? '' : shown.join() + '; the API has ' + want.join()
	})()`, "the medians of the API")
}

// TestLinks opens addresses, finds the view that each stands for, and finds
// choices in the address once they are made.
func TestLinks(t *testing.T) {
	browser, w := newBrowser(t), newWorldOf(t, answered)
	keys := names(12)
	for range 2 {
		w.send(t, keys...)
	}
	w.applied(t, 2*len(keys))
	pressed := func(label string) string {
		return `[...document.querySelectorAll('[aria-pressed=true]')].some(b => b.textContent === ` + quote(label) + `)`
	}
	for name, c := range map[string]struct{ address, view string }{
		"order":        {"/?sort=effect_asc", `document.querySelector('select[aria-label="Order of keys"]').value === 'effect_asc' && document.querySelector('.cell.mean[aria-sort=ascending]')`},
		"filters":      {"/?q=shop&kind=linear&flag=prior_dominated&variable=sigma2", `document.querySelector('input[type=search]').value === 'shop' && document.querySelector('select[aria-label="Kind of model"]').value === 'linear' && document.querySelector('select[aria-label="Models with a flag"]').value === 'prior_dominated' && document.querySelector('.variable-choice').value === 'sigma2'`},
		"time":         {"/?within=between&from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z", `document.querySelectorAll('input[type=datetime-local]').length === 2 && document.body.innerText.includes('No key matches')`},
		"axis":         {"/key/shop%2F10003?variable=sigma2&axis=time&range=all", pressed("time") + ` && ` + pressed("Recent range") + ` && document.querySelector('.bands h2').textContent.startsWith('sigma2')`},
		"diagnostics":  {"/key/shop%2F10003?view=diagnostics&sort=sd-desc", `document.querySelector('.diagnostics th[aria-sort=descending]').textContent.startsWith('sd')`},
		"score":        {"/key/shop%2F10003?view=calibration&score=rmse", pressed("RMSE")},
		"standardised": {"/key/shop%2F10003?scale=standard", pressed("standardised") + ` && document.querySelector('.forest-row')`},
		"forest":       {"/forest?variable=sigma2&sort=key&prefix=shop%2F1000", pressed("key") + ` && document.querySelectorAll('.forest-row').length === 10`},
		"calibration":  {"/calibration?kind=linear&prefix=shop", `document.querySelector('.verdict') && document.querySelector('main select').value === 'linear' && document.querySelector('main input').value === 'shop'`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTab(t, browser, 1400, 1000)
			b.open(w.Base + c.address)
			b.wait(c.view, "the view of "+c.address)
		})
	}
	t.Run("choices go into the address", func(t *testing.T) {
		b := newTab(t, browser, 1400, 1000)
		b.open(w.Base + "/key/shop%2F10003")
		b.wait(`document.querySelector('.bands canvas')`, "a chart")
		b.do(evaluate(`[...document.querySelectorAll('.bands button')].find(b => b.textContent === 'log shard').click()`))
		b.do(evaluate(`[...document.querySelectorAll('[role=tab]')].find(b => b.textContent === 'Diagnostics').click()`))
		b.wait(`new URLSearchParams(location.search).get('axis') === 'log' && new URLSearchParams(location.search).get('view') === 'diagnostics'`, "the choices in the address")
		b.open(w.Base + "/")
		b.wait(`document.querySelector('.intro')`, "what the view shows")
		b.do(evaluate(`document.querySelector('.intro button').click()`))
		b.wait(`!document.querySelector('.intro')`, "that it is put away")
		b.wait(`document.querySelector('.cell.rows .sort')`, "the list")
		b.do(evaluate(`document.querySelector('.cell.rows .sort').click()`))
		b.wait(`new URLSearchParams(location.search).get('sort') === 'rows'`, "the order in the address")
		b.open(w.Base + "/?sort=rows")
		b.wait(`document.querySelector('.cell.rows[aria-sort=descending]') && document.querySelector('.cell.key a') && !document.querySelector('.intro')`, "the order, and no introduction that was read")
	})
	t.Run("quiet", func(t *testing.T) {
		b := newTab(t, browser, 1400, 1000)
		b.open(w.Base + "/")
		// The records of this world are an hour old.
		b.wait(`/^Last record (5\d.min|1.h).* ago$/.test(document.querySelector('.connection .badge')?.innerText) && !document.querySelector('.connection .badge.good')`, "when the last record was")
		w.send(t, keys[0])
		b.wait(`document.querySelector('.connection .badge.good')?.innerText === 'Live'`, "that records come again")
	})
}
