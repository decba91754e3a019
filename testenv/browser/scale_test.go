//go:build unix

package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// size is how much there is to show.
type size struct{ keys, shards, features int }

// The sizes of TestScale: what make test has time for, and what CREDENCE_PAGE_SCALE=full asks for.
var (
	shortSize = size{keys: 2_000, shards: 400, features: 300}
	fullSize  = size{keys: 100_000, shards: 10_000, features: 500}
)

// What a view may take at any size: a page grows with its window, not with what there is.
const (
	mostNodes = 6_000     // elements of the document
	mostBytes = 4_000_000 // of one answer, before it is compressed

	// Of all lists of keys that the overview asks for until its end was reached once; an order is made anew every 10 s.
	mostListed = 1_000_000
)

const wideKey, longKey = "wide/1", "long/1"

// scaleView is a view at scale: where it is, what is there once it is drawn, and what is done to it then.
type scaleView struct{ name, path, wants, act, after string }

// scaleViews are all views of the page; of a key's shards the newest are kept.
func scaleViews(n size) []scaleView {
	const listed = `document.querySelectorAll('.cell.key a').length > 5 && document.querySelector('.cell.mean[data-value]:not([data-value=""])')`
	const end = `document.querySelector('[role=grid]').focus(); document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))`
	wide, long := "/key/wide%2F1", "/key/long%2F1"
	views := []scaleView{
		{"overview", "/", listed, end, listed},
		{"overview by key", "/?sort=key", listed, end, listed},
		{"overview searched", "/?q=99", listed, "", ""},
		{"overview by flag", "/?flag=prior_dominated", listed, end, listed},
		{"overview by time", "/?within=day", listed, end, listed},
		{"overview by flag and time", "/?flag=prior_dominated&within=day&q=1", listed, "", ""},
		{"compare keys", "/compare?variable=beta%5Bx%5D&keys=%5B%22shop%2F10000%22%2C%22shop%2F10001%22%2C%22shop%2F10002%22%2C%22shop%2F10003%22%2C%22shop%2F10004%22%2C%22long%2F1%22%5D", `document.querySelectorAll('.sheet path').length >= 6`, "", ""},
		{"compare times", fmt.Sprintf("/compare?variable=beta%%5Bx%%5D&keys=%%5B%%22long%%2F1%%22%%5D&shards=%d,%d", n.shards-100, n.shards-10), `document.querySelectorAll('.compared tbody tr').length === 3`, "", ""},
		{"forest across keys", "/forest?variable=beta%5Bx%5D", `document.querySelectorAll('.forest-row').length > 10`, `document.querySelector('.forest-scroll').scrollTop = 1e6`, `document.querySelectorAll('.forest-row').length > 10`},
		{"calibration across keys", "/calibration", `document.querySelector('.verdict')`, "", ""},
		{"operations", "/operations", `document.querySelectorAll('main table tbody tr').length >= 4`, "", ""},
		{"long", long, `document.querySelector('.bands canvas')`, `[...document.querySelectorAll('.bands button')].find(b => b.textContent === 'time').click()`, `document.querySelector('.bands canvas')`},
		{"long: calibration", long + "?view=calibration&windows=24", `document.querySelectorAll('.sheet .heat').length === 240`, "", ""},
		{"long: observed", long + "?view=observed&rows=256", `document.querySelectorAll('div.sheet .spot').length > 200`, "", ""},
		{"wide", wide, `document.querySelector('.bands canvas') && document.querySelectorAll('.quantity').length === 12 && document.querySelectorAll('.forest-row').length > 10`,
			`document.querySelector('.variables-list [role=grid]').focus(); document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))`, `document.querySelector('.bands').innerText.includes('History is kept for the first 64')`},
		{"wide: standardised", wide + "?scale=standard", `document.querySelectorAll('.forest-row').length > 10`, `document.querySelector('.forest-scroll').scrollTop = 1e6`, `document.querySelectorAll('.forest-row').length > 10`},
		{"wide: diagnostics", wide + "?view=diagnostics", `document.querySelectorAll('.diagnostics tbody tr').length > 10`, `document.querySelector('.diagnostics').scrollTop = 1e6`, `document.querySelectorAll('.diagnostics tbody tr').length > 10`},
		{"wide: calibration", wide + "?view=calibration", `document.querySelectorAll('.sheet .heat').length > 100`, "", ""},
		{"wide: observed", wide + "?view=observed", `document.querySelectorAll('.sheet .spot').length > 20`, "", ""},
		{"wide: contrast", wide + "?view=contrast&of=beta%5Bx1%5D+-+0.5*beta%5Bx2%5D", `document.querySelector('.contrast-law svg path')`,
			`(() => { const w = document.querySelector('.contrast-term input[type=number]'); w.value = '3'; w.dispatchEvent(new Event('input', {bubbles: true})) })()`, `document.querySelector('.contrast-law .verdict') && location.search.includes('3*')`},
		{"wide: effects", wide + "?view=effects", `document.querySelectorAll('.effect svg.svg-chart path').length >= 4`,
			`(() => { const w = document.querySelector('.mover input[type=range]'); w.value = '0.5'; w.dispatchEvent(new Event('input', {bubbles: true})) })()`, `location.search.includes('set=')`},
		{"wide: predict", wide + "?view=predict", `document.querySelector('[role=tabpanel] form textarea')`, "", ""},
		{"wide: how", wide + "?view=how", `document.querySelector('.formula')`, "", ""},
		{"wide: json", wide + "?view=json", `document.querySelector('main pre')`, "", ""},
	}
	for _, sort := range []string{"effect", "effect_asc", "flags", "newest", "rows"} {
		views = append(views, scaleView{"overview sorted by " + sort, "/?sort=" + sort, listed, end, listed})
	}
	return views
}

// scaleModels are a wide model with quantities and a narrow one for everything else.
func scaleModels(features int) string {
	names, quantities := make([]string, features), make([]string, 12)
	for i := range names {
		names[i] = fmt.Sprintf("x%d", i+1)
	}
	for i := range quantities {
		quantities[i] = fmt.Sprintf(`{name: q%d, of: "beta[x%d] - beta[x%d]"}`, i+1, i+1, i+2)
	}
	return fmt.Sprintf(`
  - {match: "wide/**", kind: linear, columns: {response: y, features: [%s]}, publish: {quantities: [%s]}}
  - {match: "**", kind: linear, columns: {response: y, features: [x]}}
`, strings.Join(names, ", "), strings.Join(quantities, ", "))
}

// wideRecord is a shard of the wide key.
func (w *world) wideRecord(t testing.TB, features int) *kgo.Record {
	t.Helper()
	const rows = 8
	b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "y", Number: make([]float64, rows)}}}
	for i := range rows {
		b.Columns[0].Number[i] = w.rng.NormFloat64()
	}
	for i := range features {
		x := make([]float64, rows)
		for r := range x {
			x[r] = w.rng.NormFloat64()
			if i < 20 {
				b.Columns[0].Number[r] += x[r]
			}
		}
		b.Columns = append(b.Columns, cdf.Column{Name: fmt.Sprintf("x%d", i+1), Number: x})
	}
	r := w.record(t, wideKey)
	var err error
	if r.Value, err = arrow.Encode(b); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestScale opens each view over more than a window has room for: neither the
// document nor an answer grows with what there is. How long tasks of the main
// thread are depends on the machine: it is reported.
func TestScale(t *testing.T) {
	browser, n := newBrowser(t), shortSize
	if os.Getenv("CREDENCE_PAGE_SCALE") == "full" {
		n = fullSize
	}
	// Newest posteriors and sums of so many keys leave the usual memory no room for what was before.
	w := newWorldOf(t, scaleModels(n.features), "http.history=512MiB")
	crowd := names(n.keys)
	for from := 0; from < len(crowd); from += 10_000 {
		w.send(t, crowd[from:min(from+10_000, len(crowd))]...)
	}
	for sent := 0; sent < n.shards; sent += 1000 {
		some := make([]string, min(1000, n.shards-sent))
		for i := range some {
			some[i] = longKey
		}
		w.send(t, some...)
	}
	const wideShards = 40
	for range wideShards {
		if err := w.client.ProduceSync(t.Context(), w.wideRecord(t, n.features)).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	w.applied(t, n.keys+n.shards+wideShards)
	for _, v := range scaleViews(n) {
		t.Run(strings.ReplaceAll(v.name, " ", "-"), func(t *testing.T) {
			b := newTab(t, browser, 1280, 1000)
			b.open(w.Base + v.path)
			b.wait(v.wants, v.name)
			opened := seenOf(b)
			if v.act != "" {
				b.do(evaluate(v.act))
				b.wait(v.after, v.name+" after it was used")
			}
			b.do(evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`))
			s := seenOf(b)
			b.shot("1280")
			t.Logf("%5d elements, %d answers, largest %7d bytes (%s), all %8d, %d of them in %d lists of keys; %d long tasks, %d ms the longest, %d of them on opening",
				s.Nodes, s.Answers, s.Largest, s.Which, s.Bytes, s.Listed, s.Lists, s.Long, s.Longest, opened.Long)
			if s.Listed > mostListed {
				t.Errorf("%d lists of keys with %d bytes in all, want %d at most", s.Lists, s.Listed, mostListed)
			}
			if s.Nodes > mostNodes {
				t.Errorf("%d elements in the document, want %d at most", s.Nodes, mostNodes)
			}
			if s.Largest > mostBytes {
				t.Errorf("an answer of %d bytes, want %d at most: %s", s.Largest, mostBytes, s.Which)
			}
			b.end()
		})
	}
}

// seen is what a view took so far.
type seen struct {
	Nodes, Answers, Largest, Bytes int
	Lists, Listed                  int // answers that list keys, and their bytes
	Which                          string
	Long, Longest                  int // tasks of 50 ms or more, milliseconds of the longest
}

func seenOf(b *tab) seen {
	b.t.Helper()
	text := value[string](b, `(async () => {
		const tasks = await new Promise((done) => {
			const found = []
			const watch = new PerformanceObserver((list) => found.push(...list.getEntries()))
			watch.observe({type: 'longtask', buffered: true})
			setTimeout(() => (watch.disconnect(), done(found)), 0)
		})
		const answers = performance.getEntriesByType('resource').filter((e) => new URL(e.name).pathname.startsWith('/v1/'))
		const lists = answers.filter((e) => e.name.includes('fields=key'))
		const largest = answers.reduce((a, e) => (e.decodedBodySize > (a?.decodedBodySize ?? -1) ? e : a), null)
		return JSON.stringify({
			Nodes: document.querySelectorAll('*').length, Answers: answers.length, Largest: largest?.decodedBodySize ?? 0,
			Bytes: answers.reduce((sum, e) => sum + e.decodedBodySize, 0), Which: largest ? largest.name.slice(location.origin.length, location.origin.length + 100) : '',
			Lists: lists.length, Listed: lists.reduce((sum, e) => sum + e.decodedBodySize, 0),
			Long: tasks.length, Longest: Math.round(Math.max(0, ...tasks.map((e) => e.duration))),
		})
	})()`)
	var s seen
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		b.t.Fatal(err)
	}
	return s
}
