import { useMemo } from 'preact/hooks'
import { modelPath } from '../api/client.ts'
import type { About, KindInfo, Row } from '../api/types.ts'
import { supportOf } from '../charts/density.ts'
import { Forest, type ForestLine } from '../charts/Forest.tsx'
import { Choice } from '../charts/legend.tsx'
import { Empty, Foreign, SearchBox } from '../components/index.ts'
import { useKinds } from '../kinds.ts'
import { setQuery, useChoice, useText } from '../router.ts'
import type { KeyModel } from './model.ts'
import { arranged } from './rows.ts'
import { responseUnit, standard, unitOf } from './units.ts'

/** Group is rows that can share an axis. */
export interface Group {
  title: string
  axis: string
  rows: Row[]
}

const numbers = ['mean', 'sd', 'median', 'q2.5', 'q5', 'q25', 'q75', 'q95', 'q97.5', 'mcse_mean'] as const

/** times multiplies what is measured in a row by a positive number. */
function times(row: Row, factor: number): Row {
  const out = { ...row }
  for (const n of numbers) out[n] = row[n] === null ? null : row[n] * factor
  return out
}

/**
 * grouped puts rows that can share an axis together: coefficients by their unit, the intercept
 * and levels, which are values of the response, apart from them, then autoregression and variances. With standardised
 * all coefficients are in typical spreads, and share one; what has no such form is left out.
 */
export function grouped(rows: readonly Row[], standardised: boolean, about: About | null, kind: KindInfo | undefined): Group[] {
  if (standardised) {
    const title = kind?.response === 'real' ? 'typical spreads of the response, per one of the column' : 'per typical spread of the column'
    const list = rows.flatMap((r) => {
      const factor = standard(r.variable, about, kind)
      return factor === null ? [] : [times(r, factor)]
    })
    return list.length > 0 ? [{ title: 'Coefficients, standardised', axis: title, rows: list }] : []
  }
  const groups = new Map<string, Group>()
  const response = responseUnit(about, kind)
  for (const row of rows) {
    const support = supportOf(row.variable)
    const unit = unitOf(row.variable, about, kind)
    const coefficient = /^(beta|gamma)\[(?!intercept\])/.test(row.variable)
    const [title, axis] = support === 'unit' ? ['Autoregression', 'phi']
      : support === 'positive' ? ['Variances', 'variance' + (unit && `, ${unit}`)]
      : coefficient ? [unit && unit !== response ? `Coefficients, ${unit}` : 'Coefficients', 'effect' + (unit && `, ${unit}`)]
      : ['Levels', 'level' + (unit && `, ${unit}`)]
    const known = groups.get(title)
    if (known) known.rows.push(row)
    else groups.set(title, { title, axis, rows: [row] })
  }
  const order = (g: Group) => ['Coefficients', 'Levels', 'Autoregression', 'Variances'].findIndex((t) => g.title.startsWith(t))
  return [...groups.values()].sort((a, b) => order(a) - order(b))
}

/** AllForest puts the intervals of all variables beside each other, those that can be compared on one axis. */
export function AllForest({ model, chosen }: { model: KeyModel; chosen: string }) {
  const about = model.about.value
  const kind = useKinds().value?.kinds.find((k) => k.name === about?.kind)
  const own = new Set(model.posterior.value?.quantities?.map((q) => q.name))
  const rows = model.rows.value.filter((r) => !own.has(r.variable))
  const [search, setSearch] = useText('find')
  const [scale, setScale] = useChoice('scale', ['original', 'standard'])
  const can = rows.some((r) => standard(r.variable, about, kind) !== null)
  const groups = useMemo(() => grouped(arranged(rows, search, 'order', false), can && scale === 'standard', about, kind).map((g) => ({
    ...g,
    lines: g.rows.map((row): ForestLine => ({
      id: row.variable, name: row.variable, row,
      label: <button type="button" class="link" aria-current={row.variable === chosen} onClick={() => setQuery({ variable: row.variable, density: null })}><Foreign text={row.variable} length={40} /></button>,
    })),
  })), [model.rows.value, search, chosen, scale, about, kind])
  return (
    <div class="stack">
      <div class="row">
        {rows.length > 8 && <SearchBox value={search} change={setSearch} label="Search variables" />}
        {can && <Choice label="Scale" chosen={scale} choose={setScale} options={[['original', 'original units'], ['standard', 'standardised']]} />}
      </div>
      {groups.length === 0 && <Empty title={search ? 'No variable with this text' : 'No variable to draw'} />}
      {groups.map((g) => (
        <section key={g.title}>
          <h3>{g.title}</h3>
          <Forest lines={g.lines} label={g.title} title={g.axis} noun={['variable', 'variables']} file={`${model.key}-${g.title}`} {...(scale === 'standard' && can ? {} : { arrow: modelPath(model.key) })} />
        </section>
      ))}
    </div>
  )
}
