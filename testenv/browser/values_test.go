//go:build unix

package browser

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// reading is how a test reads what the page gives: files of a group of downloads, and values of a picture
// by the marks at its axes, not by how the page places them.
const reading = `
window.keep = (group, kind) => new Promise((done) => {
	let last
	const [create, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click]
	URL.createObjectURL = (blob) => (last = blob, 'blob:kept')
	HTMLAnchorElement.prototype.click = function () {
		URL.createObjectURL = create
		HTMLAnchorElement.prototype.click = click
		done(last)
	}
	const found = [...document.querySelectorAll('.download')].find(g => g.dataset.name === group)
	for (const b of found.querySelectorAll('button')) if (b.textContent === kind) b.click()
})
window.table = async (group) => {
	const lines = (await (await keep(group, 'CSV')).text()).trim().split('\r\n')
	const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(,|$)/g)].slice(0, -1).map(m => m[1].startsWith('"') ? m[1].slice(1, -1).replaceAll('""', '"') : m[1])
	const [head, ...rows] = lines.map(l => cells(l + ','))
	return rows.map(r => Object.fromEntries(head.map((h, i) => [h, r[i] === '' ? null : isNaN(r[i]) ? r[i] : +r[i]])))
}
window.api = async (path, body) => (await fetch(path, body && {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json()
window.unlike = (what, got, want, columns) => {
	if (got.length !== want.length || got.length === 0) return what + ': ' + got.length + ' rows, the API has ' + want.length
	for (const [i, w] of want.entries())
		for (const c of columns) if ((got[i][c] ?? null) !== (w[c] ?? null)) return what + ', row ' + i + ', ' + c + ': ' + got[i][c] + ', the API has ' + w[c]
	return ''
}
window.axes = (svg) => {
	const number = (e) => +e.textContent.replaceAll('−', '-').replace(/[^-\d.e]/g, '')
	const map = (marks) => { const [[p, v], [q, w]] = [marks[0], marks.at(-1)]; return (at) => v + (at - p) * (w - v) / (q - p) }
	return {
		y: map([...svg.querySelectorAll(':scope > g')].filter(g => g.querySelector(':scope > line.grid + text')).map(g => [+g.querySelector('line').getAttribute('y1'), number(g.querySelector('text'))])),
		height: +svg.querySelector(':scope > g > line.grid').getAttribute('y1') - +[...svg.querySelectorAll(':scope > g > line.grid')].at(-1).getAttribute('y1'),
	}
}
`

// comparison is a view, and a question whose answer says what differs there from the API.
type comparison struct{ name, path, ready, differs string }

const predicted = `['row', 'mean', 'sd', 'q2.5', 'q97.5', 'epred_sd', 'epred_q2.5', 'epred_q97.5']`

const quantileColumns = `['mean', 'sd', 'q2.5', 'q5', 'q25', 'median', 'q75', 'q95', 'q97.5']`

// comparisons are of the numbers in files, pictures and marks; those in texts are compared elsewhere.
func comparisons() []comparison {
	const model, wide = "/v1/models/shop%2F10001", "/v1/models/wide%2F1"
	const bands = `document.querySelector('.bands canvas') && document.querySelector('.density canvas')`
	return []comparison{
		{"keys", "/?sort=key", `document.querySelectorAll('.cell.mean[data-value]:not([data-value=""])').length > 6`, `
			const want = (await api('/v1/models')).models.map(m => ({...m, flags: m.flags.join(' ') || null, ...m.posterior.find(r => !r.variable.endsWith('[intercept]'))}))
			return unlike('keys', await table('keys'), want, ['key', 'kind', 'variable', 't', 'n', 'time', 'coverage95', 'scored_rows', 'flags', 'mean', 'sd', 'q2.5', 'q25', 'median', 'q75', 'q97.5'])`},
		{"predictions", "/key/pair%2F1?view=predict&given=%7B%22rows%22%3A%5B%7B%22x1%22%3A1%2C%22x2%22%3A-2%7D%5D%7D", `document.querySelector('.predictions tbody tr')`, `
			const a = await api('/v1/models/pair%2F1/predict', {rows: [{x1: 1, x2: -2}]})
			return unlike('predictions', await table('pair_1-predictions'), a.predictions, ` + predicted + `)`},
		{"steps", "/key/path%2F1?view=predict&given=%7B%22horizon%22%3A5%7D", `document.querySelectorAll('.predictions tbody tr').length === 5`, `
			const a = await api('/v1/models/path%2F1/predict', {horizon: 5})
			return unlike('steps', (await table('path_1-predictions')).map(r => ({...r, row: r.step})), a.predictions, ` + predicted + `)`},
		{"history", "/key/shop%2F10001", bands + ` && document.querySelector('.forest-row')`, `
			const points = (await api('` + model + `/history?limit=10000')).points
			const flat = (variable) => points.map(p => ({...p, flags: p.flags.join(' ') || null, time: new Date(p.time).toISOString(), ...p.posterior.find(r => r.variable === variable)}))
			return unlike('bands', await table('shop_10001-beta_x_'), flat('beta[x]'), ['t', 'n', 'offset', 'time', 'flags', 'mean', 'sd', 'q2.5', 'q25', 'median', 'q75', 'q97.5'])`},
		{"flags that rose", "/key/shop%2F10000", bands, `
			const points = (await api('/v1/models/shop%2F10000/history?limit=10000')).points
			const rose = points.flatMap((p, i) => p.flags.filter(f => !points[i - 1]?.flags.includes(f)).map(f => f.replaceAll('_', ' ') + ' at shard ' + p.t))
			const said = document.querySelector('.risings')?.textContent ?? ''
			return rose.length > 0 && rose.every(r => said.includes(r)) && said.split(' at shard ').length - 1 === rose.length ? '' : said + '; the API has ' + rose`},
		{"forest", "/key/wide%2F1", bands + ` && document.querySelectorAll('.forest-row').length > 10`, `
			const rows = (await api('` + wide + `')).posterior, got = []
			for (const g of document.querySelectorAll('[role=tabpanel] .download')) got.push(...await table(g.dataset.name))
			const by = (a, b) => a.variable < b.variable ? -1 : 1
			return unlike('forest', got.sort(by), rows.sort(by), ` + quantileColumns + `)`},
		{"diagnostics", "/key/wide%2F1?view=diagnostics", `document.querySelectorAll('.diagnostics tbody tr').length > 10`, `
			return unlike('diagnostics', await table('wide_1-diagnostics'), (await api('` + wide + `')).posterior, ['variable', 'mcse_mean', 'ess_bulk', 'r_hat', ...` + quantileColumns + `])`},
		{"observed", "/key/shop%2F10001?view=observed", `document.querySelectorAll('div.sheet .spot').length === 64`, `
			const rows = (await api('` + model + `/observed?limit=64')).rows
			const wrong = unlike('observed', await table('shop_10001-observed'), rows, ['t', 'offset', 'row', 'observed', 'mean', 'q2.5', 'q10', 'q25', 'q75', 'q90', 'q97.5', 'pit'])
			if (wrong) return wrong
			// The fan: each band is drawn through the upper quantiles, and back through the lower ones.
			const svg = document.querySelector('[role=tabpanel] .sheet svg'), {y, height} = axes(svg), near = (a, b) => Math.abs(y(a) - b) < Math.abs(y(0) - y(height)) * 0.0015
			for (const [band, low, high] of [['.band-95', 'q2.5', 'q97.5'], ['.band-80', 'q10', 'q90'], ['.band-50', 'q25', 'q75']]) {
				const drawn = svg.querySelector(band).getAttribute('d').match(/[\d.-]+,[\d.-]+/g).map(p => +p.split(',')[1])
				const want = [...rows.map(r => r[high]), ...rows.map(r => r[low]).reverse()]
				if (drawn.length !== want.length || !drawn.every((p, i) => near(p, want[i]))) return band + ' at ' + drawn.map(y).slice(0, 4) + ', the API has ' + want.slice(0, 4)
			}
			const dots = [...svg.querySelectorAll('circle.spot')].map(c => +c.getAttribute('cy')), seen = rows.filter(r => !r.outlier)
			const off = seen.findIndex((r, i) => !near(dots[i], r.observed))
			return dots.length === seen.length && off < 0 ? '' : dots.length + ' dots, ' + y(dots[off]) + ' where the API has ' + seen[off]?.observed`},
		{"calibration over time", "/key/shop%2F10001?view=calibration", `document.querySelectorAll('.sheet .heat').length === 120 && document.querySelector('[role=tabpanel] .plot canvas')`, `
			const windows = (await api('` + model + `/calibration?windows=12')).windows
			const want = windows.map(w => ({...w, coverage95: w.coverage.find(c => c.nominal === 0.95).share, ...Object.fromEntries(w.pit.map((n, i) => ['pit' + i, n]))}))
			const wrong = unlike('windows', await table('shop_10001-calibration-over-time'), want, ['from', 'to', 'rows', 'coverage95', 'log_density', 'rmse', ...windows[0].pit.map((_, i) => 'pit' + i)])
			if (wrong) return wrong
			const cells = windows.flatMap(w => Array.from({length: 10}, (_, k) => w.pit.slice(4 * k, 4 * k + 4).reduce((a, b) => a + b))) // of forty bins
			const said = [...document.querySelectorAll('.heat title')].map(e => +/: (\d+) rows/.exec(e.textContent)[1])
			if (said.join() !== cells.join()) return 'cells ' + said + ', the API has ' + cells
			const points = (await api('` + model + `/history?limit=10000')).points.filter(p => p.score.rows > 0)
			return unlike('scores', await table('shop_10001-log_density'), points.map(p => ({t: p.t, ...p.score})), ['t', 'rows', 'log_density'])`},
		{"contrast", "/key/wide%2F1?view=contrast&of=beta%5Bx1%5D+-+2*beta%5Bx2%5D", `document.querySelector('.contrast-law svg path')`, `
			const a = await api('` + wide + `/contrast?of=' + encodeURIComponent('beta[x1] - 2*beta[x2]'))
			return unlike('contrast', await table('wide_1-contrast'), [{...a, ...a.law}], ['t', 'n', 'above_zero', ...` + quantileColumns + `])`},
		{"effects", "/key/pair%2F1?view=effects&set=%7B%22x2%22%3A0.5%7D", `document.querySelectorAll('.effect .partial').length > 100`, `
			const got = await table('pair_1-effects'), about = await api('/v1/models/pair%2F1/about')
			const base = Object.fromEntries(about.inputs.filter(i => i.role === 'feature').map(i => [i.name, i.name === 'x2' ? 0.5 : +(i.center ?? 0).toPrecision(6)]))
			const ask = async (rows) => (await api('/v1/models/pair%2F1/predict', {rows})).predictions
			const want = await ask(got.map(r => ({...base, [r.input]: r.value})))
			const wrong = unlike('effects', got, want, ['mean', 'epred_sd', 'epred_q2.5', 'epred_q97.5', 'q2.5', 'q97.5'])
			if (wrong) return wrong
			// A partial residual is what a row differs from its expectation, put on the curve at its value.
			const rows = (await api('/v1/models/pair%2F1/observed?limit=128')).rows.filter(r => r.inputs && r.observed !== null)
			const expected = await ask(rows.map(r => r.inputs))
			for (const name of ['x1', 'x2']) {
				const curve = got.filter(r => r.input === name), ends = [curve[0].value, curve.at(-1).value]
				const on = await ask(rows.map(r => ({...base, [name]: r.inputs[name]})))
				// Its curve, whose values were compared, is the scale of the picture.
				const svg = [...document.querySelectorAll('.effect')].find(e => e.querySelector('h3').textContent === name).querySelector('svg')
				const spots = svg.querySelector('.middle').getAttribute('d').match(/[\d.-]+,[\d.-]+/g).map((p, i) => [...p.split(',').map(Number), curve[i].value, curve[i].mean])
				const [a, b] = [spots[0], spots.at(-1)], scale = (axis) => (b[axis + 2] - a[axis + 2]) / (b[axis] - a[axis])
				const value = (axis, at) => a[axis + 2] + (at - a[axis]) * scale(axis), pixel = [Math.abs(scale(0)), Math.abs(scale(1))]
				const all = rows.map((r, i) => [r.inputs[name], on[i].mean + r.observed - expected[i].mean]).filter(([v]) => v >= ends[0] && v <= ends[1])
				const dots = [...svg.querySelectorAll('.partial')].map(c => [value(0, +c.getAttribute('cx')), value(1, +c.getAttribute('cy'))])
				const lost = dots.find(d => !all.some(r => Math.abs(r[0] - d[0]) < pixel[0] && Math.abs(r[1] - d[1]) < pixel[1]))
				if (dots.length < 20 || lost) return name + ': ' + dots.length + ' dots, one at ' + lost + ', where the API has no residual'
			}
			return ''`},
		{"forest across keys", "/forest?variable=beta%5Bx%5D&sort=key", `document.querySelectorAll('.forest-row').length > 3`, `
			const list = (await api('/v1/models?variables=beta%5Bx%5D')).models.filter(m => m.posterior.length > 0)
			return unlike('forest', await table('beta_x_-across-keys'), list.map(m => ({...m, ...m.posterior[0]})), ['key', ...` + quantileColumns + `])`},
		{"compare", "/compare?variable=beta%5Bx%5D&keys=%5B%22shop%2F10001%22%2C%22shop%2F10002%22%5D", `document.querySelectorAll('.compared tbody tr').length === 2`, `
			const list = (await api('/v1/models?key=shop%2F10001&key=shop%2F10002&variables=beta%5Bx%5D')).models.map(m => ({name: m.key, ...m.posterior[0]}))
			return unlike('compare', await table('compare-beta_x_'), list.sort((a, b) => b.median - a.median), ['name', ...` + quantileColumns + `])`},
	}
}

// streams are groups with Arrow, and how JSON has the same rows.
var streams = []struct{ name, path, ready, group, rows string }{
	{"history", "/key/shop%2F10001", `document.querySelector('.bands canvas')`, "shop_10001-beta_x_",
		`(await api('/v1/models/shop%2F10001/history?limit=10000&variables=beta%5Bx%5D')).points.map(p => ({...p, ...p.score, ...p.posterior[0]}))`},
	{"diagnostics", "/key/wide%2F1?view=diagnostics", `document.querySelector('.diagnostics tbody tr')`, "wide_1-diagnostics",
		`(await api('/v1/models/wide%2F1')).posterior`},
	{"observed", "/key/shop%2F10001?view=observed", `document.querySelector('div.sheet .spot')`, "shop_10001-observed",
		`(await api('/v1/models/shop%2F10001/observed?limit=64')).rows`},
}

// valuesAreTheAPIs compares files, pictures and marks of all views with the API.
func valuesAreTheAPIs(t *testing.T, b *tab, base string) {
	for _, c := range comparisons() {
		b.open(base + c.path)
		b.do(evaluate(reading))
		b.wait(c.ready, c.name)
		b.agrees(`(async () => {`+c.differs+`})()`, c.name+" as the API has it")
	}
	for _, s := range streams {
		b.open(base + s.path)
		b.do(evaluate(reading))
		b.wait(s.ready, s.name)
		var rows []map[string]any
		if err := json.Unmarshal([]byte(value[string](b, `(async () => JSON.stringify(`+s.rows+`))()`)), &rows); err != nil {
			t.Fatal(err)
		}
		stream, err := base64.StdEncoding.DecodeString(value[string](b, `(async () => btoa(Array.from(new Uint8Array(await (await keep(`+quote(s.group)+`, 'Arrow')).arrayBuffer()), b => String.fromCharCode(b)).join('')))()`))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := unlikeArrow(stream, rows); err != nil || n < 5*len(rows) {
			t.Errorf("%s as Arrow: %d numbers are those of the API: %v", s.name, n, err)
		}
	}
}

// unlikeArrow compares the numbers of a stream with rows of the same names and counts them.
func unlikeArrow(stream []byte, rows []map[string]any) (compared int, err error) {
	reader, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		return 0, err
	}
	defer reader.Release()
	at := 0
	for reader.Next() {
		batch := reader.Record()
		for i, field := range batch.Schema().Fields() {
			column, ok := batch.Column(i).(*array.Float64)
			if !ok {
				continue
			}
			for r := range column.Len() {
				if at+r >= len(rows) {
					return compared, fmt.Errorf("more than %d rows", len(rows))
				}
				want, told := rows[at+r][field.Name]
				if number, isNumber := want.(float64); isNumber && (column.IsNull(r) || column.Value(r) != number) {
					return compared, fmt.Errorf("%s in row %d is %v, the API has %v", field.Name, at+r, column.Value(r), want)
				} else if isNumber {
					compared++
				} else if told && column.IsValid(r) {
					return compared, fmt.Errorf("%s in row %d is %v, the API has %v", field.Name, at+r, column.Value(r), want)
				}
			}
		}
		at += int(batch.NumRows())
	}
	if at != len(rows) {
		return compared, fmt.Errorf("%d rows, the API has %d", at, len(rows))
	}
	return compared, reader.Err()
}
