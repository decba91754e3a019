import { useMemo, useRef } from 'preact/hooks'
import { api, modelPath } from '../api/client.ts'
import type { KindInfo, ObservedRow } from '../api/types.ts'
import { Swatch } from '../charts/legend.tsx'
import { band, line, range, Sheet, type Area } from '../charts/Sheet.tsx'
import { Empty, ErrorState, Intro, Loading } from '../components/index.ts'
import { absolute, count, estimate, exact, percent } from '../format.ts'
import type { KeyModel } from '../key/model.ts'
import { responseUnit } from '../key/units.ts'
import { useKinds } from '../kinds.ts'
import { useResource } from '../resource.ts'
import { query, setQuery } from '../router.ts'
import { Download } from '../download/Download.tsx'
import { side, spotsOf, spreadOf, within } from './observed.ts'
import './instruments.css'

const every = 3_000
const choices = [64, 128, 256] as const

const columns = ['t', 'offset', 'time', 'row', 'observed', 'mean', 'q2.5', 'q10', 'q25', 'q75', 'q90', 'q97.5', 'pit'] as const

/** Observed shows the newest rows beside what was predicted of them: ?rows= is how many, ?at= the one that is read. */
export function Observed({ model }: { model: KeyModel }) {
  const limit = choices.find((n) => String(n) === query.value.get('rows')) ?? choices[0]
  const answer = useResource((signal) => api.observed(model.key, limit, signal), [model.key, limit], { every })
  const chart = useRef<HTMLDivElement>(null)
  const kinds = useKinds().value?.kinds
  const rows = answer.value?.rows
  return (
    <div class="stack">
      <Intro view={binaryOf(model, kinds) ? 'observed_binary' : 'observed'} />
      {answer.failure && !rows ? <ErrorState failure={answer.failure} what="The rows can’t be read" retry={answer.reload} />
        : !rows ? <Loading what="the rows" />
        : answer.value?.owned === false ? <Empty title="Another process keeps these rows"><p>Rows are kept by the process that works on the key’s partition. <a href="/operations">Operations</a> names it.</p></Empty>
        : rows.length === 0 ? <Empty title="No row was predicted yet"><p>From a key’s second shard on the first 8 rows of its shards are kept, where shards come fast of fewer of them, since this process started; one of the next shards begins it.</p></Empty>
        : (
          <section class="stack" ref={chart}>
            <Rows binary={binaryOf(model, kinds)} unit={responseUnit(model.about.value, kinds?.find((k) => k.name === model.about.value?.kind))} model={model} rows={rows} limit={limit} />
            <Download name={`${model.key}-observed`} chart={chart} arrow={modelPath(model.key, '/observed', { limit })}
              table={() => ({ head: [...columns, 'outlier'], rows: rows.map((r) => [...columns.map((c) => r[c]), String(r.outlier)]) })} />
          </section>
        )}
    </div>
  )
}

/** binaryOf says whether the response of a key's model is 0 or 1: it has no bands. */
function binaryOf(model: KeyModel, kinds: readonly KindInfo[] | undefined): boolean {
  return kinds?.find((k) => k.name === model.posterior.value?.kind)?.response === 'binary'
}

function Rows({ model, rows, limit, binary, unit }: { binary: boolean; unit: string; model: KeyModel; rows: readonly ObservedRow[]; limit: number }) {
  const { spots, shards } = useMemo(() => spotsOf(rows), [rows])
  const name = model.about.value?.inputs.find((i) => i.role === 'response')?.name ?? 'response'
  // The row that the address names stays chosen while new ones come.
  const asked = query.value.get('at')
  const found = rows.findIndex((r) => `${r.offset}.${r.row}` === asked)
  const at = found < 0 ? null : found
  const choose = (i: number | null) => i !== null && setQuery({ at: `${rows[i]!.offset}.${rows[i]!.row}` })
  const x = spots.map((s) => s.x)
  const column = (c: 'q2.5' | 'q10' | 'q25' | 'mean' | 'q75' | 'q90' | 'q97.5' | 'observed') => rows.map((r) => r[c])
  const [lo, hi] = binary ? [-0.06, 1.06] : range([...column('q2.5'), ...column('q97.5'), ...column('observed')])
  const marks = shards.filter((_, i) => i % Math.ceil(shards.length / 8) === 0).map((s) => [s.x, count(s.t)] as const)
  const counts = within(rows)
  const read = rows[at ?? rows.length - 1]!
  const outliers = rows.filter((r) => r.outlier).length
  const said = counts.map((c) => `${count(c.inside)} of ${count(c.rows)} rows in the ${c.nominal * 100} % band`).join(', ')
  return (
    <>
      <div class="chart-head">
        <div class="legend">
          {!binary && <><span><Swatch colour="--band-50" band />50, 80 and 95 %</span><span><Swatch colour="--median" />expected</span></>}
          {binary && <span><Swatch colour="--median" />predicted probability</span>}
          <span><Dot kind="inside" />observed</span>{!binary && <span><Dot kind="outside" />outside 95 %</span>}<span><Dot kind="outlier" />outlier</span>
        </div>
        <label class="row small"><span class="muted">rows</span>
          <select value={limit} onChange={(e) => setQuery({ rows: e.currentTarget.value === String(choices[0]) ? null : e.currentTarget.value })}>
            {choices.map((n) => <option key={n} value={n}>newest {n}</option>)}
          </select></label>
      </div>
      <Sheet label={`Predicted and observed ${name}`} summary={`Of the newest ${count(rows.length)} rows: ${said}; ${outliers === 1 ? 'one outlier' : `${count(outliers)} outliers`}.`} height={320}
        x={{ lo: -0.7, hi: rows.length - 0.3, title: 'rows in their order, marked by shard', marks }} y={{ lo, hi, title: name + (unit && `, ${unit}`) }} points={x} at={at} setAt={choose}>
        {(area) => (
          <>
            {!binary && (<>
              <path class="band-95" d={band(x, column('q2.5'), column('q97.5'), area)} />
              <path class="band-80" d={band(x, column('q10'), column('q90'), area)} />
              <path class="band-50" d={band(x, column('q25'), column('q75'), area)} />
            </>)}
            {shards.slice(1).map((s) => <line key={s.t} class="grid" x1={area.x(s.x - 0.5)} x2={area.x(s.x - 0.5)} y1={area.top} y2={area.bottom} />)}
            <path class="middle" d={line(x, column('mean'), area)} />
            {spots.map(({ x: at, row }) => row.observed !== null && <Mark key={at} x={area.x(at)} y={clamped(row.observed, lo, hi, area)} kind={binary && side(row) === 'outside' ? 'inside' : side(row)} />)}
          </>
        )}
      </Sheet>
      <p class="readout">
        <span>shard <b>{count(read.t)}</b>, row {count(read.row)}</span>
        <span>{absolute(read.time)}</span>
        <span title={exact(read.observed)}>observed <b data-value={read.observed ?? ''}>{estimate(read.observed, spreadOf(read))}</b>{unit && ` ${unit}`}</span>
        <span title={exact(read.mean)}>expected {estimate(read.mean, spreadOf(read))}</span>
        {!binary && <span>95 % {estimate(read['q2.5'], spreadOf(read))} to {estimate(read['q97.5'], spreadOf(read))}</span>}
        {read.outlier && <span><b>outlier</b>: beyond what chance makes of a row in a million</span>}
      </p>
      {!binary && (
        <dl class="facts">
          {counts.map((c) => <div key={c.nominal}><dt>in the {c.nominal * 100} % band</dt><dd><b>{percent(c.rows ? c.inside / c.rows : null)}</b>{count(c.inside)} of {count(c.rows)}</dd></div>)}
          <div><dt>outliers</dt><dd><b>{count(outliers)}</b></dd></div>
        </dl>
      )}
    </>
  )
}

const clamped = (v: number, lo: number, hi: number, area: Area) => area.y(Math.max(lo, Math.min(hi, v)))

/** Mark is a dot; one outside is a ring, an outlier a cross, so that they differ without colour. */
function Mark({ x, y, kind }: { x: number; y: number; kind: ReturnType<typeof side> }) {
  if (kind === 'outlier') return <path class="spot outlier" d={`M${x - 4},${y - 4}L${x + 4},${y + 4}M${x - 4},${y + 4}L${x + 4},${y - 4}`} />
  return <circle class={`spot ${kind}`} cx={x} cy={y} r={kind === 'outside' ? 3.5 : 2.5} />
}

function Dot({ kind }: { kind: ReturnType<typeof side> }) {
  return <svg class="sheet" width="12" height="12" aria-hidden="true"><Mark x={6} y={6} kind={kind} /></svg>
}
