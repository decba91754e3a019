import { Foreign, Labelled } from '../components/index.ts'
import type { Posterior, Row } from '../api/types.ts'
import { estimate, exact, meanSd, missing, percent, significant } from '../format.ts'

type Told = NonNullable<Posterior['quantities']>[number]

const words: Record<Told['kind'], string> = { form: 'estimate', probability: 'probability', prediction: 'prediction', quantile: 'quantile' }

/** Quantities are the answers that the configuration asks for, each as a card: what it is, and how sure it is. */
export function Quantities({ told, rows, alerts, unit }: {
  told: readonly Told[]
  rows: readonly Row[]
  alerts: readonly string[]
  /** Of the response, '' where none is told. */
  unit: string
}) {
  if (told.length === 0 && alerts.length === 0) return null
  return (
    <section class="stack" aria-labelledby="quantities-title">
      <h2 id="quantities-title"><Labelled text="Quantities" term="quantity" /></h2>
      {alerts.length > 0 && <p class="notice warn" role="status">Raised: {alerts.map((a, i) => <>{i > 0 && ', '}<b key={a} class="foreign">{a}</b></>)}. <span class="muted">Alerts of the configuration whose condition holds.</span></p>}
      <ul class="quantities">
        {told.map((q) => <li key={q.name} class="card quantity"><Quantity unit={unit} told={q} row={rows.find((r) => r.variable === q.name)} /></li>)}
      </ul>
    </section>
  )
}

function Quantity({ told, row, unit }: { told: Told; row: Row | undefined; unit: string }) {
  return (
    <>
      <h3><Foreign text={told.name} length={64} /> <span class="muted small">{words[told.kind]}</span></h3>
      {told.absent !== undefined || !row ? <p class="muted">Not known: <span class="foreign">{told.absent ?? 'the posterior has no row of it'}</span></p>
        : told.kind === 'probability' ? <Probability row={row} />
        : told.kind === 'quantile' ? <Quantile row={row} />
        : <Interval row={row} {...(told.kind === 'prediction' ? { observation: true, unit } : {})} />}
    </>
  )
}

function Probability({ row }: { row: Row }) {
  const p = row.mean
  if (p === null) return <p class="muted">{missing}</p>
  // Near 0 and 1 the digits that tell them apart are the last ones.
  const near = Math.min(p, 1 - p)
  const places = near > 0 && near < 0.01 ? Math.min(6, Math.ceil(-Math.log10(near))) : 1
  return (
    <>
      <p class="quantity-value" title={exact(p)} data-value={p}>{percent(p, places)}</p>
      <svg class="quantity-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="6" /><rect class="part" width={p * 100} height="6" /></svg>
      {row.mcse_mean !== null && row.mcse_mean > 0 && <p class="muted small">from draws, ± {percent(row.mcse_mean, 2)} of Monte Carlo error</p>}
    </>
  )
}

/** Quantile is one number: the rest of its row is undefined, but for the Monte Carlo error of draws. */
function Quantile({ row }: { row: Row }) {
  return (
    <>
      <p class="quantity-value" title={exact(row.mean)} data-value={row.mean ?? ''}>{row.mean === null ? missing : significant(row.mean, 4)}</p>
      {row.mcse_mean !== null && row.mcse_mean > 0 && <p class="muted small">from draws, ± {significant(row.mcse_mean, 2)} of Monte Carlo error</p>}
    </>
  )
}

function Interval({ row, observation = false, unit = '' }: { row: Row; observation?: boolean; unit?: string }) {
  const middle = row.median ?? row.mean
  return (
    <>
      <p class="quantity-value" title={exact(middle)} data-value={middle ?? ''}>{estimate(middle, row)}{unit && <span class="muted small"> {unit}</span>}</p>
      <p>95 %: <span data-value={row['q2.5'] ?? ''}>{estimate(row['q2.5'], row)}</span> to <span data-value={row['q97.5'] ?? ''}>{estimate(row['q97.5'], row)}</span></p>
      <p class="muted small">{observation ? 'of a new observation; ' : row.median === null ? 'mean; ' : 'median; '}{row.mean === null ? 'its mean is not defined' : meanSd(row) + ' (mean ± sd)'}</p>
    </>
  )
}
