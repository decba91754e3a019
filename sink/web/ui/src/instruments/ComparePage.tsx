import { useMemo, useRef, useState } from 'preact/hooks'
import { api } from '../api/client.ts'
import { failure, type Result } from '../api/result.ts'
import { sample } from '../charts/density.ts'
import { line, Sheet } from '../charts/Sheet.tsx'
import { Empty, ErrorState, Foreign, Help, Intro, Loading } from '../components/index.ts'
import { estimate, exact, percent, shorten } from '../format.ts'
import { variablesOf } from '../key/acrosskeys.ts'
import { unitOf } from '../key/units.ts'
import { useKinds } from '../kinds.ts'
import { variableGlob } from '../key/series.ts'
import { useResource } from '../resource.ts'
import { keyPath, query, setQuery } from '../router.ts'
import { ranked, type Compared, type Ranked } from './compare.ts'
import { Download } from '../download/Download.tsx'
import '../key/key.css'
import './instruments.css'

const every = 5_000
const most = 7 // as many lines can be told apart

function keysOf(text: string | null): string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? [...new Set(list.filter((k): k is string => typeof k === 'string' && k !== ''))].slice(0, most) : []
  } catch {
    return []
  }
}

const shardsOf = (text: string | null) => (text ?? '').split(',').map((s) => s.trim()).filter((s) => /^\d{1,15}$/.test(s)).map(Number).slice(0, most - 1)

/** ComparePage puts a variable of several keys, or of one key at several times, side by side: ?variable=, ?keys= and ?shards=. */
export function ComparePage() {
  const keys = keysOf(query.value.get('keys'))
  const shards = keys.length === 1 ? shardsOf(query.value.get('shards')) : []
  const names = useResource((signal) => variablesOf('', signal), [])
  const variable = query.value.get('variable') || names.value?.[0] || ''
  const answer = useResource((signal) => compared(variable, keys, shards, signal), [variable, keys, shards], { every })
  const first = keys[0]
  const about = useResource((signal) => (first === undefined ? Promise.resolve({ ok: true as const, value: null }) : api.about(first, signal)), [first]).value
  const unit = unitOf(variable, about, useKinds().value?.kinds.find((k) => k.name === about?.kind))
  return (
    <div class="stack">
      <h1>Compare</h1>
      <Intro view="compare" />
      <Choices variable={variable} keys={keys} shards={query.value.get('shards') ?? ''} names={names.value ?? []} />
      {keys.length === 0 ? <Empty title="No key chosen"><p>Type a key above, or begin at <a href="/">all keys</a>.</p></Empty>
        : answer.failure && !answer.value ? <ErrorState failure={answer.failure} what="The keys can’t be compared" retry={answer.reload} />
        : !answer.value ? <Loading what="the keys" />
        : answer.value.length === 0 ? <Empty title="Nothing to compare"><p>None of these keys has <span class="foreign">{variable}</span>, or they are not there. Shards are those that this process still keeps.</p></Empty>
        : <Comparison variable={variable} unit={unit} list={answer.value} independent={shards.length === 0} />}
    </div>
  )
}

/** compared reads the laws: of keys as they are now, or of one key also as of the shards. */
async function compared(variable: string, keys: readonly string[], shards: readonly number[], signal: AbortSignal): Promise<Result<Compared[]>> {
  if (variable === '' || keys.length === 0) return { ok: true, value: [] }
  const now = await api.models({ key: keys, variables: variableGlob(variable) }, signal)
  if (!now.ok) return now
  const out: Compared[] = now.value.models.flatMap((m) => {
    const row = m.posterior?.find((r) => r.variable === variable)
    return row ? [{ name: m.key, row }] : []
  })
  if (shards.length === 0) return { ok: true, value: out }
  const past = await api.history(keys[0]!, { limit: 10_000, variables: variableGlob(variable) }, signal)
  if (!past.ok) return past
  for (const t of shards) {
    const row = past.value.points.find((p) => p.t === t)?.posterior.find((r) => r.variable === variable)
    if (row) out.push({ name: `after shard ${t}`, row })
    else return { ok: false, failure: failure(404, 'not_found', `shard ${t} of this key is not kept: choose one between ${past.value.points[0]?.t ?? 'none'} and ${past.value.points.at(-1)?.t ?? 'none'}`) }
  }
  return { ok: true, value: out }
}

function Choices({ variable, keys, shards, names }: { variable: string; keys: readonly string[]; shards: string; names: readonly string[] }) {
  const [typed, setTyped] = useState('')
  const put = (next: readonly string[]) => setQuery({ keys: next.length > 0 ? JSON.stringify(next) : null })
  const add = () => {
    if (typed.trim() === '') return
    put([...keys, typed.trim()])
    setTyped('')
  }
  return (
    <form class="stack" onSubmit={(e) => { e.preventDefault(); add() }}>
      <div class="row across-filters">
        <label class="field"><span>variable</span>
          <input value={variable} list="compare-variables" autocomplete="off" spellcheck={false} maxLength={512} onChange={(e) => setQuery({ variable: e.currentTarget.value })} /></label>
        <datalist id="compare-variables">{names.map((n) => <option key={n} value={n} />)}</datalist>
        <label class="field"><span>add a key</span>
          <input value={typed} autocomplete="off" spellcheck={false} maxLength={512} disabled={keys.length >= most} onInput={(e) => setTyped(e.currentTarget.value)} /></label>
        <button type="submit">Add</button>
        {keys.length === 1 && (
          <label class="field"><span>also as of shards</span>
            <input value={shards} placeholder="10, 40" autocomplete="off" maxLength={100} onChange={(e) => setQuery({ shards: e.currentTarget.value })} /></label>
        )}
      </div>
      <div class="row chosen-keys">
        {keys.map((k) => (
          <span class="chosen-key" key={k}><Foreign text={k} length={30} /><button type="button" class="quiet" aria-label={`Remove ${k}`} onClick={() => put(keys.filter((other) => other !== k))}>×</button></span>
        ))}
      </div>
    </form>
  )
}

const dashes = ['', '8 4', '2 4', '12 4 2 4', '5 5', '1 3', '14 5'] as const

function Comparison({ variable, unit, list, independent }: { variable: string; unit: string; list: readonly Compared[]; independent: boolean }) {
  const chart = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => ranked(list), [list])
  const known = rows.flatMap((r) => (r.density && r.density.point === null ? [r.density] : []))
  const ends = known.map((d) => d.range(3.2))
  const [lo, hi] = [Math.min(...ends.map((e) => e[0])), Math.max(...ends.map((e) => e[1]))]
  const curves = rows.map((r) => (r.density && r.density.point === null ? sample(r.density, lo, hi, 300) : null))
  const top = Math.max(...curves.flatMap((c) => c?.y ?? [])) * 1.05
  const first = rows[0]!
  return (
    <section class="card stack" ref={chart}>
      {independent && first.largest !== null && <p class="verdict">{shorten(first.name, 40)} is the largest with probability {percent(first.largest)}.</p>}
      {known.length > 0 && (
        <Sheet label={`${variable} compared`} height={280} summary={rows.map((r) => `${r.name}: median ${estimate(r.row.median, r.row)}`).join('; ')} x={{ lo, hi, title: shorten(variable, 50) + (unit && `, ${unit}`) }} y={{ lo: 0, hi: top, title: 'density' }}>
          {(area) => curves.map((c, i) => c && <path key={i} class={`series-${i + 1}`} stroke-dasharray={dashes[i] || undefined} d={line(c.x, c.y, area)} />)}
        </Sheet>
      )}
      <div class="table compared" tabIndex={0} role="region" aria-label="Ranking">
        <table>
          <thead><tr><th scope="col">{independent ? 'key' : 'when'}</th><th class="number" scope="col">median{unit && <span class="muted"> {unit}</span>}</th><th class="number wide-only" scope="col">95 % between</th>
            {independent && rows.length > 1 && <><th class="number" scope="col">P(largest)</th><th class="number" scope="col" title="The probability that it is larger than the one in the next line">P(&gt; next)</th></>}</tr></thead>
          <tbody>{rows.map((r, i) => <Line key={r.name} r={r} nth={i} variable={variable} independent={independent && rows.length > 1} />)}</tbody>
        </table>
      </div>
      <p class="muted small">
        {independent ? 'Keys are models of their own, independent given their data; the probabilities follow from the published quantiles, with a smooth law drawn through them.' : 'Times of one key share its data: how they differ has no probability of its own here.'} <Help term="posterior" />
      </p>
      <Download name={`compare-${variable}`} chart={chart} table={() => ({
        head: ['name', 'variable', 'mean', 'sd', 'q2.5', 'q5', 'q25', 'median', 'q75', 'q95', 'q97.5', ...(independent ? ['p_largest', 'p_above_next'] : [])],
        rows: rows.map((r) => [r.name, variable, r.row.mean, r.row.sd, r.row['q2.5'], r.row.q5, r.row.q25, r.row.median, r.row.q75, r.row.q95, r.row['q97.5'], ...(independent ? [r.largest, r.aboveNext] : [])]),
      })} />
    </section>
  )
}

function Line({ r, nth, variable, independent }: { r: Ranked; nth: number; variable: string; independent: boolean }) {
  return (
    <tr>
      <th scope="row">
        <svg class="swatch" width="30" height="12" aria-hidden="true"><line class={`series-${nth + 1}`} x1="0" x2="30" y1="6" y2="6" stroke-dasharray={dashes[nth] || undefined} /></svg>
        {independent ? <a href={`${keyPath(r.name)}?variable=${encodeURIComponent(variable)}`}><Foreign text={r.name} length={30} /></a> : <Foreign text={r.name} length={30} />}
      </th>
      <td class="number" title={exact(r.row.median)} data-value={r.row.median ?? ''}>{estimate(r.row.median, r.row)}<span class="narrow-only muted small">{estimate(r.row['q2.5'], r.row)} to {estimate(r.row['q97.5'], r.row)}</span></td>
      <td class="number wide-only">{estimate(r.row['q2.5'], r.row)} to {estimate(r.row['q97.5'], r.row)}</td>
      {independent && <><td class="number" title={exact(r.largest)}>{percent(r.largest)}</td><td class="number" title={exact(r.aboveNext)}>{percent(r.aboveNext)}</td></>}
    </tr>
  )
}
