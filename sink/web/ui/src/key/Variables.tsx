import { useMemo, useRef } from 'preact/hooks'
import type { Row } from '../api/types.ts'
import { Empty, Estimate, Foreign, SearchBox, VirtualList } from '../components/index.ts'
import { count, estimate } from '../format.ts'
import { arranged, isExact, judge, type Sort } from './rows.ts'
import { useChoice, useText } from '../router.ts'
import type { KeyModel } from './model.ts'
import type { Track } from './series.ts'

const sorts: readonly (readonly [Sort, boolean, string])[] = [
  ['order', false, 'as published'],
  ['name', false, 'name'],
  ['median', true, 'median, highest first'],
  ['median', false, 'median, lowest first'],
  ['sd', true, 'sd, widest first'],
  ['r_hat', true, 'R-hat, worst first'],
  ['ess_bulk', false, 'ESS, lowest first'],
]

/** words are the sorts as the address has them. */
const words = sorts.map(([by, descending]) => by + (descending ? '-desc' : '')) as [string, ...string[]]

const rowHeight = 58

/** Variables lists the variables of a model with a small band of each; one is chosen. */
export function Variables({ model, rows, chosen, choose }: { model: KeyModel; rows: readonly Row[]; chosen: string; choose: (variable: string) => void }) {
  const [search, setSearch] = useText('variables')
  const [order, setOrder] = useChoice('order', words)
  const sort = words.indexOf(order)
  const grid = useRef<HTMLDivElement>(null)
  const memory = useRef({ top: 0 }).current
  void model.version.value
  const [by, descending] = sorts[sort]!
  const shown = useMemo(() => arranged(rows, search, by, descending), [rows, search, by, descending])
  const active = shown.findIndex((r) => r.variable === chosen)
  const many = rows.length > 8
  return (
    <section class="card variables" aria-label="Variables">
      <div class="variables-head">
        <h2>{count(rows.length)} {rows.length === 1 ? 'variable' : 'variables'}</h2>
        {many && (
          <select aria-label="Sort variables" value={sort} onChange={(e) => setOrder(words[Number(e.currentTarget.value)]!)}>
            {sorts.map(([, , text], i) => <option key={i} value={i}>{text}</option>)}
          </select>
        )}
      </div>
      {many && <SearchBox value={search} change={setSearch} label="Search variables" leave={() => grid.current?.focus()} />}
      {shown.length === 0 ? (
        <Empty title="No variable with this text"><p><button type="button" onClick={() => setSearch('')}>Show all</button></p></Empty>
      ) : (
        <div class="variables-list" style={{ '--rows': String(Math.min(shown.length, 10)) }}>
          <VirtualList of={search + ' ' + sort}
            rows={shown.length} height={rowHeight} label="Variables" columns={4} active={active} grid={grid} memory={memory}
            activate={(i) => shown[i] && choose(shown[i].variable)} open={() => {}} seen={() => {}}
            head={<>
              <span role="columnheader" class="visually-hidden">variable</span>
              <span role="columnheader" class="visually-hidden">median</span>
              <span role="columnheader" class="visually-hidden">bands</span>
              <span role="columnheader" class="visually-hidden">95 % interval</span>
            </>}
            row={(i) => ({ key: shown[i]!.variable, cells: <VariableCells row={shown[i]!} track={model.history.track(shown[i]!.variable)} /> })}
          />
        </div>
      )}
    </section>
  )
}

function VariableCells({ row, track }: { row: Row; track: Track | undefined }) {
  const verdict = isExact(row) ? 'ok' : judge(row).worst
  return (
    <>
      <span role="gridcell" class="variable-name">
        <Foreign text={row.variable} length={44} />
        {verdict === 'bad' && <span class="mark" title="A diagnostic is beyond its threshold: see Diagnostics"> !<span class="visually-hidden">diagnostics beyond threshold</span></span>}
      </span>
      <span role="gridcell" class="number"><b><Estimate value={row.median} row={row} /></b></span>
      <span role="gridcell">{track && track.rows.length > 1 && <Spark track={track} />}</span>
      <span role="gridcell" class="number muted small">{estimate(row['q2.5'], row)} to {estimate(row['q97.5'], row)}</span>
    </>
  )
}

const [sparkWidth, sparkHeight, sparkPoints] = [128, 24, 48]

/** Spark is a band of a variable's newer half, without axes. */
function Spark({ track }: { track: Track }) {
  const from = Math.floor(track.rows.length / 8)
  const rest = track.rows.length - from
  const rows = Array.from({ length: Math.min(sparkPoints, rest) }, (_, i) => {
    const last = Math.min(sparkPoints, rest) - 1
    return track.rows[from + (last === 0 ? 0 : Math.round((i * (rest - 1)) / last))]!
  }).filter((r) => r['q2.5'] !== null && r['q97.5'] !== null && r.median !== null)
  if (rows.length < 2) return null
  const lo = Math.min(...rows.map((r) => r['q2.5']!))
  const hi = Math.max(...rows.map((r) => r['q97.5']!))
  const x = (i: number) => ((i * sparkWidth) / (rows.length - 1)).toFixed(1)
  const y = (v: number) => (1 + (sparkHeight - 2) * (hi > lo ? 1 - (v - lo) / (hi - lo) : 0.5)).toFixed(1)
  const line = (of: (r: Row) => number) => rows.map((r, i) => `${x(i)},${y(of(r))}`)
  const area = (low: (r: Row) => number, high: (r: Row) => number) => 'M' + line(high).join('L') + 'L' + line(low).reverse().join('L') + 'Z'
  return (
    <svg width={sparkWidth} height={sparkHeight} class="spark" aria-hidden="true">
      <path d={area((r) => r['q2.5']!, (r) => r['q97.5']!)} fill="var(--band-95)" />
      <path d={area((r) => r.q25 ?? r.median!, (r) => r.q75 ?? r.median!)} fill="var(--band-50)" />
      <path d={'M' + line((r) => r.median!).join('L')} fill="none" stroke="var(--median)" stroke-width="1.5" />
    </svg>
  )
}
