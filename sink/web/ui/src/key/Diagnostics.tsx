import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Row } from '../api/types.ts'
import { Badge, Empty, Estimate, Foreign, Labelled, SearchBox } from '../components/index.ts'
import { count, exact, significant } from '../format.ts'
import { Download } from '../download/Download.tsx'
import { modelPath } from '../api/client.ts'
import { useText } from '../router.ts'
import { arranged, isExact, judge, sortNames, thresholds, type Sort, type Verdict } from './rows.ts'

const rowHeight = 30
const around = 10
const most = 20
const columns = ['mean', 'sd', 'q2.5', 'q5', 'q25', 'median', 'q75', 'q95', 'q97.5', 'mcse_mean', 'ess_bulk', 'ess_tail', 'r_hat'] as const

/** Diagnostics is the table of all variables with how far the computation can be trusted. */
export function Diagnostics({ of, rows, priorDominated, unit }: { of: string; rows: readonly Row[]; priorDominated: readonly string[]; unit: (variable: string) => string }) {
  const [search, setSearch] = useText('find')
  const [order, setOrder] = useText('sort', 40)
  const sort = sortOf(order)
  const [scroll, setScroll] = useState(0)
  const shown = useMemo(() => arranged(rows, search, sort.by, sort.descending), [rows, search, order])
  const dominated = useMemo(() => new Set(priorDominated), [priorDominated])
  const exactRows = rows.filter(isExact).length
  // Columns that no row has a value in say nothing.
  const drawn = exactRows < rows.length
  const has = { bulk: rows.some((r) => r.ess_bulk !== null), tail: rows.some((r) => r.ess_tail !== null), rHat: rows.some((r) => r.r_hat !== null) }
  const wide = 8 + Number(drawn) + Number(has.bulk) + Number(has.tail) + Number(has.rHat)
  const bad = rows.filter((r) => judge(r).worst === 'bad').length
  const view = Math.min(shown.length, most) * rowHeight
  const from = Math.max(0, Math.floor(scroll / rowHeight) - around)
  const to = Math.min(shown.length, Math.ceil((scroll + view) / rowHeight) + around)
  const head = (by: Sort, text: ComponentChildren, first = true, number = true) => (
    <th scope="col" class={number ? 'number' : ''} aria-sort={sort.by === by ? (sort.descending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" class="sort" onClick={() => setOrder(by + ((sort.by === by ? !sort.descending : first) ? '-desc' : ''))}>
        {text}<span aria-hidden="true">{sort.by === by ? (sort.descending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  )
  return (
    <div class="stack">
      <p class="muted">
        {exactRows === rows.length
          ? 'All rows come from a closed form: “exact” means no Monte Carlo error; ESS and R-hat do not apply.'
          : bad > 0
            ? `${count(bad)} of ${count(rows.length)} variables have a diagnostic beyond its threshold.`
            : `No diagnostic of the ${count(rows.length - exactRows)} variables computed from draws is beyond its threshold${exactRows > 0 ? `; ${count(exactRows)} rows are exact` : ''}.`}
      </p>
      {rows.length > 8 && <SearchBox value={search} change={setSearch} label="Search variables" />}
      {shown.length === 0 ? <Empty title="No variable with this text" /> : (
        <div class="table diagnostics" tabIndex={0} role="region" aria-label="Diagnostics by variable" style={{ maxHeight: `${view + 60}px` }}
          onScroll={(e) => setScroll(e.currentTarget.scrollTop)}>
          <table aria-rowcount={shown.length + 1}>
            <caption class="visually-hidden">Posterior and diagnostics by variable</caption>
            <thead>
              <tr>
                {head('name', 'variable', false, false)}
                <th scope="col" class="number">mean</th>
                {head('sd', 'sd')}
                <th scope="col" class="number">2.5 %</th>
                <th scope="col" class="number">25 %</th>
                {head('median', 'median')}
                <th scope="col" class="number">75 %</th>
                <th scope="col" class="number">97.5 %</th>
                {drawn && head('mcse', 'MCSE')}
                {has.bulk && head('ess_bulk', 'ESS bulk', false)}
                {has.tail && head('ess_tail', 'ESS tail', false)}
                {has.rHat && head('r_hat', 'R-hat')}
              </tr>
            </thead>
            <tbody>
              {from > 0 && <tr aria-hidden="true"><td colSpan={wide} style={{ height: `${from * rowHeight}px`, padding: 0 }} /></tr>}
              {shown.slice(from, to).map((r, i) => <DiagnosticRow key={r.variable} row={r} index={from + i + 2} dominated={dominated.has(r.variable)} unit={unit(r.variable)} drawn={drawn} has={has} />)}
              {to < shown.length && <tr aria-hidden="true"><td colSpan={wide} style={{ height: `${(shown.length - to) * rowHeight}px`, padding: 0 }} /></tr>}
            </tbody>
          </table>
        </div>
      )}
      {drawn && <dl class="thresholds">
        <div><dt><Labelled text="MCSE" term="mcse" /></dt><dd>noted above {thresholds.mcseNote * 100} % of the sd, bad above {thresholds.mcseBad * 100} %</dd></div>
        <div><dt><Labelled text="ESS" term="ess" /></dt><dd>noted below {thresholds.essNote}, bad below {thresholds.essBad}</dd></div>
        <div><dt><Labelled text="R-hat" term="rHat" /></dt><dd>noted above {thresholds.rHatNote}, bad above {thresholds.rHatBad}</dd></div>
      </dl>}
      <Download name={`${of}-diagnostics`} arrow={modelPath(of)} table={() => ({ head: ['variable', ...columns], rows: shown.map((r) => [r.variable, ...columns.map((c) => r[c])]) })} />
    </div>
  )
}

/** sortOf reads a sort as the address has it: ess_bulk, r_hat-desc. */
function sortOf(text: string): { by: Sort; descending: boolean } {
  const by = sortNames.find((s) => s === text.replace(/-desc$/, ''))
  return { by: by ?? 'order', descending: by !== undefined && text.endsWith('-desc') }
}

/** Has says which columns about draws some row has. */
interface Has {
  bulk: boolean
  tail: boolean
  rHat: boolean
}

function DiagnosticRow({ row, index, dominated, unit, drawn, has }: { row: Row; index: number; dominated: boolean; unit: string; drawn: boolean; has: Has }) {
  const v = judge(row)
  const closed = isExact(row)
  return (
    <tr aria-rowindex={index} style={{ height: `${rowHeight}px` }}>
      <th scope="row"><Foreign text={row.variable} length={44} />{unit && <span class="muted small"> {unit}</span>}{dominated && <> <Badge title="The data have said little, or the prior pulls">near prior</Badge></>}</th>
      <td class="number"><Estimate value={row.mean} row={row} /></td>
      <td class="number" title={exact(row.sd)}>{significant(row.sd, 2)}</td>
      {(['q2.5', 'q25', 'median', 'q75', 'q97.5'] as const).map((q) => <td key={q} class="number"><Estimate value={row[q]} row={row} /></td>)}
      {drawn && (closed ? <td class="number muted" title="From a closed form: no Monte Carlo error">exact</td> : <Judged value={row.mcse_mean} text={significant(row.mcse_mean, 2)} verdict={v.mcse} />)}
      {has.bulk && <Judged value={row.ess_bulk} text={count(row.ess_bulk)} verdict={v.essBulk} />}
      {has.tail && <Judged value={row.ess_tail} text={count(row.ess_tail)} verdict={v.essTail} />}
      {has.rHat && <Judged value={row.r_hat} text={row.r_hat === null ? '–' : row.r_hat.toFixed(3)} verdict={v.rHat} />}
    </tr>
  )
}

/** Judged is a figure with a mark where it is beyond its threshold: the mark says it, colour helps. */
function Judged({ value, text, verdict }: { value: number | null; text: string; verdict: Verdict }) {
  return (
    <td class={`number verdict-${verdict}`} title={exact(value)}>
      {verdict === 'bad' ? '! ' : verdict === 'note' ? '· ' : ''}{text}
      {verdict !== 'ok' && <span class="visually-hidden">{verdict === 'bad' ? ' beyond its threshold' : ' noted'}</span>}
    </td>
  )
}
