//go:build unix

package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/programs"
)

// permanentModels are one of many inputs, one of two, one of steps in time and one of all others.
const permanentModels = `
  - {match: "wide/**", kind: linear, columns: {response: y, features: [x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14]}}
  - {match: "pair/**", kind: linear, columns: {response: y, features: [x1, x2]}}
  - {match: "path/**", kind: dlm, columns: {response: y}}
  - {match: "**", kind: linear, columns: {response: y, features: [x]}}
`

// hands operate the page as a reader does, and tell what it shows: look is all that a link must restore,
// controls are the states of what can be set within a part of the page.
const hands = `
window.set = (which, value) => {
	const e = typeof which === 'string' ? document.querySelector(which) : which
	if (e.type === 'checkbox') e.checked = value
	else e.value = value
	for (const name of e.type === 'checkbox' ? ['change'] : ['input', 'change']) e.dispatchEvent(new Event(name, {bubbles: true}))
}
window.button = (text, within = 'main') => [...document.querySelectorAll(within + ' button')].find(b => b.textContent.trim() === text)
window.field = (name) => [...document.querySelectorAll('main label')].find(l => l.firstElementChild?.textContent.trim().startsWith(name)).querySelector('input, select, textarea')
window.key = (within, key) => document.querySelector(within).dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))
window.link = (name) => new URLSearchParams(location.search).get(name)
window.words = (label) => [...(label?.childNodes ?? [])].filter(n => n.nodeType === 3).map(n => n.textContent).join('').trim()
window.controls = (within) => {
	const out = {}
	const put = (name, state) => { while (name in out) name += '+'; out[name] = state }
	const all = (what) => document.querySelectorAll(within.split(',').map(w => w + ' ' + what).join(','))
	for (const e of all(':is(select, input, textarea)')) put(e.getAttribute('aria-label') ?? (words(e.closest('label')) || e.closest('label')?.firstElementChild.textContent.trim()), e.type === 'checkbox' ? e.checked : e.value)
	for (const e of all('.small-choice')) put(e.getAttribute('aria-label'), e.querySelector('[aria-pressed=true]')?.textContent)
	for (const e of all('button[aria-pressed]')) if (!e.closest('.small-choice')) put(e.closest('section').getAttribute('aria-label') + ' button', e.textContent)
	for (const e of all('.folded button')) put('fold', e.textContent)
	for (const e of all(':is(thead, [role=grid])')) {
		const sorts = [...e.querySelectorAll('[aria-sort]')].map(h => h.getAttribute('aria-sort')).join()
		if (sorts) put('sort', sorts)
	}
	return out
}
window.look = () => {
	const main = document.querySelector('main'), copy = main.cloneNode(true)
	for (const e of copy.querySelectorAll('time, datalist, dl.totals, dl.figures')) e.remove() // they go on by themselves
	const hash = (text) => [...text].reduce((h, c) => (h * 31 + c.codePointAt(0)) | 0, 7)
	return JSON.stringify({
		place: location.pathname, scrolled: location.hash !== '' && scrollY > 0,
		tab: document.querySelector('[role=tab][aria-selected=true]')?.textContent ?? '', controls: controls('main'),
		text: copy.textContent.replace(/\s+/g, ' ').replace(/in order as of \S+ \S+ \S+|[\d.]+\s?(s|min|h) ago/g, ''),
		drawn: [...main.querySelectorAll('canvas')].map(c => hash(c.toDataURL())),
		lines: hash([...main.querySelectorAll('svg :is(path, line, circle)')].map(e => ['d', 'x1', 'x2', 'cx', 'cy'].map(a => e.getAttribute(a))).join()),
	}, null, 1)
}
`

// setting is something that is set, and how the page tells that it was.
type setting struct{ act, wants string }

// permanent is a view with all that can be set on it.
type permanent struct {
	name, path, ready string
	within            string // what holds the view's own controls: main
	settings          []setting
	excused           []string // controls that are no setting
}

// permanents are all views of the page.
func permanents() []permanent {
	inAddress := func(act, name string) setting { return setting{act, "link(" + quote(name) + ") !== null"} }
	const panel, bands = "[role=tabpanel]", `document.querySelector('.bands canvas') && document.querySelector('.density canvas')`
	// A chart that is drawn anew hears no key for a moment.
	zoomed := func(chart, name string) setting {
		return setting{fmt.Sprintf(`document.querySelector('%s').focus()`, chart), fmt.Sprintf(`link('%s') !== null || void key('%s', '+')`, name, chart)}
	}
	return []permanent{
		{name: "keys", path: "/", ready: `document.querySelectorAll('.cell.key a').length > 6`, settings: []setting{
			inAddress(`set('input[type=search]', 'shop/1000')`, "q"),
			inAddress(`set('select[aria-label="Order of keys"]', 'rows')`, "sort"),
			inAddress(`set('select[aria-label="Kind of model"]', 'linear')`, "kind"),
			inAddress(`set('select[aria-label="Models with a flag"]', 'prior_dominated')`, "flag"),
			{`set('select[aria-label="Time of the record"]', 'between')`, `document.querySelectorAll('input[type=datetime-local]').length === 2`},
			{`set('input[aria-label^=From]', '2001-01-01T08:30:00')`, `link('from').startsWith('2001')`},
			{`set('input[aria-label^=To]', '2099-01-01T00:00:00')`, `link('to').startsWith('209') && document.querySelectorAll('.cell.key a').length > 0`},
			{`set('.variable-choice', 'sigma2')`, `[...document.querySelectorAll('.cell.variable')].at(-1)?.textContent === 'sigma2'`},
		}},
		{name: "key", path: "/key/shop%2F10001", ready: bands + ` && document.querySelector('.forest-row')`, settings: []setting{
			inAddress(`button('sigma2', '.forest-row .name').click()`, "variable"),
			inAddress(`button('time').click()`, "axis"),
			inAddress(`button('Whole range').click()`, "range"),
			zoomed(".bands .plot", "part"),
			{`button('Fit prior').click()`, `link('prior') === 'fitted'`},
			inAddress(`set('.density input[type=range]', 3)`, "after"),
			zoomed(".density .plot", "density"),
			inAddress(`button('standardised').click()`, "scale"),
		}, excused: []string{"prior"}},
		{name: "key of many variables", path: "/key/wide%2F1", ready: bands + ` && document.querySelectorAll('.forest-row').length > 10`, settings: []setting{
			inAddress(`set('.variables input[type=search]', 'x1')`, "variables"),
			inAddress(`set('select[aria-label="Sort variables"]', '2')`, "order"),
			inAddress(`document.querySelector('.variables [role=grid]').focus(); key('.variables [role=grid]', 'End')`, "variable"),
			inAddress(`button('log shard').click()`, "axis"),
			inAddress(`button('Whole range').click()`, "range"),
			inAddress(`set('.density input[type=range]', 3)`, "after"),
			{`set(document.querySelectorAll('.density input[type=checkbox]')[0], false)`, `link('prior') === 'none'`},
			{`set(document.querySelectorAll('.density input[type=checkbox]')[1], false)`, `link('earlier') === 'none'`},
			inAddress(`set('[role=tabpanel] input[type=search]', 'x1')`, "find"),
			inAddress(`button('standardised').click()`, "scale"),
		}},
		{name: "diagnostics", path: "/key/wide%2F1?view=diagnostics", ready: bands + ` && document.querySelectorAll('.diagnostics tbody tr').length > 10`, within: panel, settings: []setting{
			inAddress(`set('[role=tabpanel] input[type=search]', 'x1')`, "find"),
			inAddress(`document.querySelectorAll('.diagnostics th button')[1].click()`, "sort"),
		}},
		{name: "calibration of a key", path: "/key/shop%2F10001?view=calibration", ready: bands + ` && document.querySelectorAll('.sheet .heat').length === 120`, within: panel, settings: []setting{
			{`set('[role=tabpanel] select', '24')`, `link('windows') && document.querySelectorAll('.sheet .heat').length === 240`},
			inAddress(`key('[role=tabpanel] .sheet svg', 'Home')`, "window"),
			inAddress(`button('RMSE').click()`, "score"),
			zoomed("[role=tabpanel] .plot", "scored"),
		}},
		{name: "observed", path: "/key/shop%2F10001?view=observed", ready: bands + ` && document.querySelectorAll('div.sheet .spot').length === 64`, within: panel, settings: []setting{
			{`set('[role=tabpanel] select', '128')`, `document.querySelectorAll('div.sheet .spot').length === 128`},
			inAddress(`key('.sheet svg', 'Home')`, "at"),
		}},
		{name: "contrast", path: "/key/wide%2F1?view=contrast", ready: bands + ` && document.querySelector('.contrast-law svg path')`, within: panel, settings: []setting{
			{`set(document.querySelectorAll('.contrast-term input[type=number]')[0], '3')`, `link('of')?.startsWith('3*')`},
			{`set(document.querySelectorAll('.contrast-term input[type=number]')[1], '-0.25')`, `link('of')?.includes('0.25*')`},
			{`set(document.querySelectorAll('.contrast-term input[list]')[0], 'beta[x5]')`, `link('of')?.includes('x5')`},
			{`set(document.querySelectorAll('.contrast-term input[list]')[1], 'beta[x7]')`, `link('of')?.includes('x7')`},
			{`set(field('name of the quantity'), 'lift')`, `link('name') === 'lift' && document.querySelector('.contrast-law .verdict')`},
		}},
		{name: "effects", path: "/key/wide%2F1?view=effects", ready: bands + ` && document.querySelectorAll('.effect .middle').length === 12`, within: panel, settings: []setting{
			inAddress(`set('.mover input[aria-label="x2"][type=number]', '0.5')`, "set"),
			inAddress(`set('[role=tabpanel] input[type=search]', 'x2')`, "inputs"),
			{`set('[role=tabpanel] .legend input[type=checkbox]', false)`, `link('dots') === 'none' && document.querySelectorAll('.effect .middle').length === 1`},
		}, excused: []string{"x1", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12"}},
		{name: "predict", path: "/key/shop%2F10001?view=predict", ready: bands + ` && button('Add a row')`, within: panel, settings: []setting{
			{`button('Add a row').click()`, `document.querySelectorAll('.predict-row').length === 2`},
			{`set(document.querySelectorAll('.predict-row input')[0], '1.5')`, `true`},
			{`set(document.querySelectorAll('.predict-row input')[1], '-2')`, `true`},
			{`button('Predict', '[role=tabpanel] form').click()`, `link('given') && document.querySelectorAll('.predictions tbody tr').length === 2`},
		}},
		{name: "predict rows as text", path: "/key/shop%2F10001?view=predict", ready: bands + ` && button('Type JSON')`, within: panel, settings: []setting{
			inAddress(`button('Type JSON').click()`, "form"),
			{`set('[role=tabpanel] textarea', '[{"x": 0.25}]')`, `true`},
			{`button('Predict', '[role=tabpanel] form').click()`, `link('given') && document.querySelectorAll('.predictions tbody tr').length === 1`},
			{`set('[role=tabpanel] textarea', JSON.stringify([{x: 0.25}], null, 1))`, `true`}, // as a link writes it
		}},
		{name: "predict steps", path: "/key/path%2F1?view=predict", ready: bands + ` && field('steps ahead')`, within: panel, settings: []setting{
			{`set(field('steps ahead'), '8')`, `true`},
			{`button('Predict', '[role=tabpanel] form').click()`, `link('given') && document.querySelectorAll('.predictions tbody tr').length === 8 && document.querySelector('[role=tabpanel] .plot')`},
			zoomed("[role=tabpanel] .plot", "steps"),
		}},
		{name: "forest", path: "/forest?variable=beta%5Bx%5D", ready: `document.querySelectorAll('.forest-row').length > 3 && button('Show it')`, settings: []setting{
			inAddress(`set(field('keys that start with'), 'shop')`, "prefix"),
			{`set(field('variable'), 'sigma2')`, `link('variable') === 'sigma2'`},
			{`set(field('variable'), 'beta[intercept]')`, `link('variable') === 'beta[intercept]' && button('Show it')`},
			inAddress(`button('key').click()`, "sort"),
			inAddress(`button('Show it').click()`, "folds"),
		}},
		{name: "compare keys", path: "/compare", ready: `field('variable').value`, settings: []setting{
			{`set(field('add a key'), 'shop/10001')`, `true`},
			{`button('Add').click()`, `link('keys')?.includes('10001') && field('add a key').value === ''`},
			{`set(field('add a key'), 'shop/10002')`, `true`},
			{`button('Add').click()`, `link('keys')?.includes('10002') && field('add a key').value === ''`},
			{`set(field('variable'), 'sigma2')`, `link('variable') && document.querySelectorAll('.compared tbody tr').length === 2`},
		}, excused: []string{"add a key"}},
		{name: "compare times", path: "/compare?variable=beta%5Bx%5D&keys=%5B%22shop%2F10001%22%5D", ready: `document.querySelectorAll('.compared tbody tr').length === 1`, settings: []setting{
			{`set(field('also as of shards'), '10, 40')`, `document.querySelectorAll('.compared tbody tr').length === 3`},
		}, excused: []string{"add a key", "variable"}},
		{name: "calibration", path: "/calibration", ready: `document.querySelector('.verdict')`, settings: []setting{
			{`set('main input', 'shop')`, `link('prefix') && document.querySelector('.verdict')`},
			{`set('main select', 'linear')`, `link('kind') && document.querySelector('.verdict')`},
		}},
		{name: "dead letters", path: "/operations#dead-letters", ready: `document.body.innerText.includes('dead-letters replay') && scrollY > 0`},
	}
}

// TestViews sets everything that each view lets a reader set, opens the address in another profile and
// finds the same texts, controls and pictures there; and compares what views draw and give with the API.
func TestViews(t *testing.T) {
	mine, theirs, w := newBrowser(t), newBrowser(t), newWorldOf(t, permanentModels)
	keys := append(names(6), "path/1")
	const shards = 60
	for range shards {
		w.send(t, keys[1:]...)
		wide := w.wideRecord(t, 14)
		pair := *wide
		pair.Key = []byte("pair/1")
		if err := w.client.ProduceSync(t.Context(), wide, &pair).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	w.send(t, keys[0]) // one that knows little
	bad := w.record(t, keys[0])
	bad.Value = []byte("not Arrow")
	if err := w.client.ProduceSync(t.Context(), bad).FirstErr(); err != nil {
		t.Fatal(err)
	}
	w.applied(t, shards*(len(keys)+1)+2)
	for _, v := range permanents() {
		height := int64(900)
		if strings.Contains(v.path, "#") {
			height = 400 // so that there is something to scroll
		}
		t.Run("a link restores it/"+strings.ReplaceAll(v.name, " ", "-"), func(t *testing.T) {
			v.restored(t, newTab(t, mine, 1280, height), newTab(t, theirs, 1280, height), w.Base)
		})
	}
	t.Run("values are the API's", func(t *testing.T) { valuesAreTheAPIs(t, newTab(t, theirs, 1280, 900), w.Base) })
}

// restored sets all on one tab and compares the other, which has only the address.
func (v permanent) restored(t *testing.T, b, other *tab, base string) {
	t.Helper()
	if v.within == "" {
		v.within = "main"
	}
	b.open(base + v.path)
	b.do(evaluate(hands))
	b.wait(v.ready, v.name)
	states := `JSON.stringify(controls(` + quote(v.within) + `))`
	before := map[string]any{}
	if err := json.Unmarshal([]byte(value[string](b, states)), &before); err != nil {
		t.Fatal(err)
	}
	for _, s := range v.settings {
		b.wait("(() => { "+s.act+"; return true })()", "what is set by "+s.act) // it may be about to be drawn
		b.wait(s.wants, "after "+s.act)
	}
	after := map[string]any{}
	if err := json.Unmarshal([]byte(value[string](b, states)), &after); err != nil {
		t.Fatal(err)
	}
	for name, state := range before {
		if now, there := after[name]; there && now == state && !slices.Contains(v.excused, name) {
			t.Errorf("the test leaves %q as it is, %v: set it, or say why it is no setting", name, state)
		}
	}
	address := value[string](b, `location.href`)
	other.open(address)
	other.do(evaluate(hands))
	programs.Eventually(t, "the view of "+address, func() (bool, error) {
		want, got := value[string](b, `look()`), value[string](other, `look()`)
		if want != got {
			return false, fmt.Errorf("%s", differing(want, got))
		}
		return true, nil
	})
	b.shot("set")
	other.shot("restored")
}

// differing are the lines, and about their first difference, that are not the same.
func differing(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out []string
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		at := 0
		for at < min(len(a[i]), len(b[i])) && a[i][at] == b[i][at] {
			at++
		}
		from := max(0, at-60)
		out = append(out, fmt.Sprintf("%.160q, the link gives %.160q", a[i][from:], b[i][from:]))
	}
	return strings.Join(out, "\n")
}
