//go:build unix

package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/programs"
)

// instruments are the views that answer questions about a key: where they are, and what is there once
// they are drawn.
var instruments = []struct{ name, query, wants string }{
	{"contrast", "?view=contrast&of=beta%5Bdistance%5D+-+0.5*beta%5Bhour%5D&name=lift", `document.querySelector('.contrast-law svg.svg-chart path') && document.querySelector('.contrast-publish code')`},
	{"observed", "?view=observed&rows=128", `document.querySelectorAll('.sheet .spot').length > 20`},
	{"effects", "?view=effects&set=%7B%22distance%22%3A1000%7D", `document.querySelectorAll('.effect svg.svg-chart path').length >= 4 && document.querySelectorAll('.effect .partial').length > 20`},
	{"calibration", "?view=calibration&windows=6", `document.querySelectorAll('.sheet .heat').length === 60`},
}

// kept are pages with charts and tables that can be kept, and of how many of them at least.
var kept = []struct {
	sight
	files int
}{
	{sight{"bands, density and forest", "/key/ATL?axis=time", `document.querySelector('.bands canvas') && document.querySelector('.forest-row')`}, 3},
	{sight{"bands over the logarithm", "/key/ATL?axis=log&view=diagnostics", `document.querySelector('.bands canvas') && document.querySelector('.diagnostics tbody tr')`}, 3},
	{sight{"contrast", "/key/ATL" + instruments[0].query, instruments[0].wants}, 3},
	{sight{"observed", "/key/ATL" + instruments[1].query, instruments[1].wants}, 3},
	{sight{"effects", "/key/ATL" + instruments[2].query, instruments[2].wants}, 3},
	{sight{"calibration", "/key/ATL" + instruments[3].query, instruments[3].wants + ` && document.querySelectorAll('.chart svg').length === 2 && document.querySelector('[role=tabpanel] canvas')`}, 5},
	{sight{"forest across keys", "/forest?variable=beta%5Bdistance%5D", `document.querySelector('.forest-row')`}, 1},
	{sight{"calibration across keys", "/calibration", `document.querySelectorAll('.chart svg').length === 2`}, 1},
	{sight{"keys", "/", rowOf("ATL") + `?.querySelector('.cell.mean').dataset.value`}, 1},
	{sight{"predictions", "/key/ATL?view=predict&given=%7B%22rows%22%3A%5B%7B%22distance%22%3A1000%2C%22hour%22%3A9%7D%5D%7D", `document.querySelector('.bands canvas') && document.querySelector('.predictions tbody tr')`}, 3},
	{sight{"compare", compared, `document.querySelectorAll('.sheet path').length === 3`}, 1},
}

// compared is the page that puts keys side by side.
const compared = "/compare?variable=beta%5Bdistance%5D&keys=%5B%22ATL%22%2C%22ORD%22%2C%22DFW%22%5D"

// sight is a page in one state.
type sight struct{ name, path, wants string }

// TestInstruments looks at the views of a key that answer questions: their numbers are
// the API's, a link restores them, and what they show can be kept.
func TestInstruments(t *testing.T) {
	browser := newBrowser(t)
	demo := programs.Start(t, filepath.Join(scratch, "consumer"), "demo", "--no-browser", "--listen", "127.0.0.1:0")
	const key = "ATL"
	page, model := demo.Base+"/key/"+key, "/v1/models/"+key

	t.Run("values are the API's", func(t *testing.T) {
		b := newTab(t, browser, 1280, 1600)
		b.open(page)
		for shards := 10; shards <= 40; shards += 10 { // the demo takes half a minute to send forty, which is all the patience of one wait
			b.wait(fmt.Sprintf(`+document.querySelector('[data-testid=t]')?.dataset.value >= %d`, shards), fmt.Sprintf("%d shards", shards))
		}
		b.open(page + instruments[0].query)
		b.wait(instruments[0].wants, "the contrast")
		// A shard may come between the page's question and ours: the page asks again.
		b.wait(`(async () => {
			const shown = +document.querySelector('.contrast-law .facts [data-value]').dataset.value, sure = +document.querySelector('.contrast-law .verdict').dataset.value
			const a = await (await fetch('`+model+`/contrast?of=' + encodeURIComponent('beta[distance] - 0.5*beta[hour]'))).json()
			return shown === a.law.median && sure === a.above_zero
		})()`, "the contrast of the API")
		b.wait(`document.querySelector('.contrast-publish code').textContent.includes('of: "beta[distance] - 0.5*beta[hour]"')`, "its YAML")
		b.open(page + instruments[1].query)
		b.wait(instruments[1].wants, "observed rows")
		b.wait(`(async () => {
			const shown = +document.querySelector('.readout [data-value]').dataset.value
			return (await (await fetch('`+model+`/observed?limit=128')).json()).rows.some(r => r.observed === shown)
		})()`, "an observed row of the API")
		b.open(page + instruments[2].query)
		b.wait(instruments[2].wants, "effects")
		b.wait(`(async () => {
			const shown = +document.querySelector('.verdict [data-value]').dataset.value
			const at = [...document.querySelectorAll('.mover input[type=number]')].map(e => [e.getAttribute('aria-label'), +e.value])
			const a = await (await fetch('`+model+`/predict', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({rows: [Object.fromEntries(at)]})})).json()
			return at.some(([name, v]) => name === 'distance' && v === 1000) && shown === a.predictions[0].mean
		})()`, "the prediction of the API at what the link sets")
	})
	t.Run("a contrast is built by hand and its link restores it", func(t *testing.T) {
		b := newTab(t, browser, 1280, 1600)
		b.open(page + "?view=contrast")
		b.wait(`document.querySelectorAll('.contrast-term').length === 2`, "a difference to begin with")
		b.do(evaluate(`(() => {
			const weight = document.querySelector('.contrast-term input[type=number]')
			weight.value = '3'
			weight.dispatchEvent(new Event('input', {bubbles: true}))
		})()`))
		b.wait(`new URLSearchParams(location.search).get('of')?.startsWith('3*')`, "the weight in the address")
		b.wait(`document.querySelector('.contrast-law .verdict')`, "its law")
		link, said := value[string](b, `location.href`), `document.querySelector('.contrast-text input').value`
		want := value[string](b, said)
		b.open(link)
		b.wait(said+` === `+quote(want)+` && document.querySelector('.contrast-term input[type=number]').value === '3'`, "the contrast of the link")
	})
	t.Run("what is shown can be kept", func(t *testing.T) {
		for _, i := range kept {
			b := newTab(t, browser, 1280, 1600)
			b.open(demo.Base + i.path)
			b.wait(i.wants, i.name)
			b.do(evaluate(`(() => {
				window.made = {}
				let last
				URL.createObjectURL = (blob) => (last = blob, 'blob:kept')
				URL.revokeObjectURL = () => {}
				HTMLAnchorElement.prototype.click = function () { const name = this.download; last.arrayBuffer().then(b => window.made[name] = /(png|arrows)$/.test(name) ? String.fromCharCode(...new Uint8Array(b).slice(0, 6000)) : new TextDecoder().decode(b)) }
				for (const button of document.querySelectorAll('.download button')) button.click()
				window.ends = {CSV: 'csv', PNG: 'png', SVG: 'svg', Arrow: 'arrows'}
				window.filesOf = (group, button) => Object.entries(window.made).filter(([name]) => name.startsWith(group.dataset.name) && name.endsWith('.' + window.ends[button.textContent]))
			})()`))
			b.wait(`[...document.querySelectorAll('.download')].every(g => [...g.querySelectorAll('button')].every(b => window.filesOf(g, b).length > 0))`, "a file for each button of "+i.name)
			if got := value[string](b, `(() => {
				const wrong = []
				for (const [name, text] of Object.entries(window.made)) {
					if (name.endsWith('.csv') && text.split('\r\n').length < 3) wrong.push(name + ': ' + text)
					if (name.endsWith('.png') && (!text.startsWith('\x89PNG') || text.length < 5000)) wrong.push(name + ': ' + text.length)
					if (name.endsWith('.arrows') && !text.startsWith('\xff\xff\xff\xff')) wrong.push(name + ': ' + text.slice(0, 20))
					if (!name.endsWith('.svg')) continue
					const drawn = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement
					if (drawn.tagName !== 'svg' || drawn.querySelectorAll('text').length < 4 || drawn.querySelectorAll('path, rect, circle').length < 2 || /NaN|undefined/.test(text)) wrong.push(name + ': ' + text.slice(0, 200))
				}
				return wrong.join('; ')
			})()`); got != "" {
				t.Errorf("%s: %s", i.name, got)
			}
			if got := value[float64](b, `document.querySelectorAll('.download').length`); got < float64(i.files) {
				t.Errorf("%s: %v groups of files, want %d", i.name, got, i.files)
			}
			b.end()
		}
	})
	t.Run("keys are compared and their link restores it", func(t *testing.T) {
		b := newTab(t, browser, 1280, 1300)
		b.open(demo.Base + compared)
		b.wait(`document.querySelectorAll('.compared tbody tr').length === 3 && document.querySelectorAll('.sheet path').length === 3`, "three keys")
		// The page asks anew every few seconds: a shard may come between.
		b.wait(`(async () => {
			const a = await (await fetch('/v1/models?key=ATL&key=ORD&key=DFW&variables=beta%5Bdistance%5D')).json()
			const want = a.models.map(m => [m.key, m.posterior[0].median]).sort((x, y) => y[1] - x[1])
			const shown = [...document.querySelectorAll('.compared tbody tr')].map(r => [r.querySelector('th').textContent.trim(), +r.querySelector('[data-value]').dataset.value])
			return JSON.stringify(shown) === JSON.stringify(want)
		})()`, "the ranking of the API")
		b.open(demo.Base + "/compare?variable=beta%5Bdistance%5D&keys=%5B%22ATL%22%5D&shards=10,40")
		b.wait(`document.querySelectorAll('.compared tbody tr').length === 3 && !document.body.innerText.includes('P(largest)')`, "a key at two times and now")
	})
	sights := []sight{{"compare", compared, `document.querySelectorAll('.compared tbody tr').length === 3 && document.querySelectorAll('.sheet path').length === 3`}}
	for _, i := range instruments {
		sights = append(sights, sight{i.name, "/key/" + key + i.query, i.wants})
	}
	for _, i := range sights {
		t.Run("every size, both schemes, no violation/"+strings.ReplaceAll(i.name, " ", "-"), func(t *testing.T) {
			for _, width := range axeWidths {
				b := newTab(t, browser, width, 1900)
				b.open(demo.Base + i.path)
				for _, scheme := range []string{"light", "dark"} {
					b.scheme(scheme)
					b.wait(`matchMedia('(prefers-color-scheme: `+scheme+`)').matches && !!(`+i.wants+`)`, i.name)
					b.do(evaluate(`document.querySelector('[role=tablist]')?.scrollIntoView()`))
					b.shot(fmt.Sprintf("%d-%s", width, scheme))
					b.accessible()
					if over := value[float64](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
						t.Errorf("at %d pixels the page is %v wider than its window", width, over)
					}
				}
				b.end()
			}
		})
	}
}

// TestInstrumentsOfNumbers looks at predicted and observed numbers.
func TestInstrumentsOfNumbers(t *testing.T) {
	browser := newBrowser(t)
	w := newWorld(t)
	const shards = 14
	for range shards {
		w.send(t, "shop/1")
	}
	w.applied(t, shards)
	const wants = `document.querySelectorAll('div.sheet .spot').length === 64 && document.querySelector('div.sheet .band-80')?.getAttribute('d').length > 200`
	effects := newTab(t, browser, 1280, 1900)
	effects.open(w.Base + "/key/shop%2F1?view=effects")
	effects.wait(`document.querySelectorAll('.effect .partial').length > 60 && document.body.innerText.includes('partial residuals of the newest 104 observed rows')`, "the rows of thirteen shards about the curve")
	effects.shot("effects")
	effects.do(evaluate(`document.querySelector('[role=tabpanel] .legend input[type=checkbox]').click()`))
	effects.wait(`new URLSearchParams(location.search).get('dots') === 'none' && document.querySelector('.effect path') && !document.querySelector('.effect .partial')`, "the curve alone")
	effects.end()
	for _, width := range axeWidths {
		b := newTab(t, browser, width, 1900)
		b.open(w.Base + "/key/shop%2F1?view=observed")
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			b.wait(`matchMedia('(prefers-color-scheme: `+scheme+`)').matches && `+wants, "bands and dots")
			b.do(evaluate(`document.querySelector('[role=tablist]').scrollIntoView()`))
			b.shot(fmt.Sprintf("%d-%s", width, scheme))
			b.accessible()
		}
		// What the page counts is what the API's rows say.
		b.agrees(`(async () => {
			const rows = (await (await fetch('/v1/models/shop%2F1/observed?limit=64')).json()).rows
			const inside = rows.filter(r => r.observed >= r.q25 && r.observed <= r.q75).length
			return document.body.innerText.includes(inside + ' of 64') ? '' : inside + ' of 64'
		})()`, "how many rows are in the 50 % band")
		b.do(evaluate(`document.querySelector('.sheet svg').dispatchEvent(new KeyboardEvent('keydown', {key: 'Home', bubbles: true}))`))
		b.wait(`new URLSearchParams(location.search).get('at')`, "the chosen row in the address")
		link := value[string](b, `location.href`)
		said := `[...document.querySelectorAll('.readout')].at(-1).innerText`
		want := value[string](b, said)
		b.open(link)
		b.wait(wants+` && `+said+` === `+quote(want), "the row of the link")
	}
}
