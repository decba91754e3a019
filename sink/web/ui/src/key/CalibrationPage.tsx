import { api } from '../api/client.ts'
import type { Kind } from '../api/types.ts'
import { Badge, Empty, ErrorState, Intro, Loading, Table } from '../components/index.ts'
import { count, exact, percent, significant } from '../format.ts'
import { chosenKind, kindNames, useKinds } from '../kinds.ts'
import { query, setQuery } from '../router.ts'
import { useResource } from '../resource.ts'
import { CalibrationView } from './CalibrationView.tsx'
import './key.css'

/** CalibrationPage shows how honest predictions are across all keys, and by kind: ?prefix= and ?kind=. */
export function CalibrationPage() {
  const prefix = query.value.get('prefix') ?? ''
  const kinds = useKinds().value?.kinds
  const kind = chosenKind(query.value, kinds)
  // All kinds are asked for always: the table of kinds is how one is chosen.
  const answer = useResource((signal) => api.calibrationAcross({ prefix }, signal), [prefix], { every: 5_000 })
  if (answer.failure && !answer.value) return <ErrorState failure={answer.failure} what="Calibration can’t be read" retry={answer.reload} />
  if (!answer.value) return <Loading what="calibration" />
  const { all, kinds: byKind, keys } = answer.value
  const shown = !kind ? all : Object.hasOwn(byKind, kind) ? byKind[kind] : undefined
  const rows = Object.keys(byKind).sort()
  return (
    <div class="stack">
      <h1>Calibration</h1>
      <Intro view="calibration" />
      <p class="muted">Each shard is predicted before it is absorbed. {count(keys)} keys of the partitions that this process works on, scored since it started.</p>
      <div class="row across-filters">
        <label class="field"><span>keys that start with</span>
          <input value={prefix} autocomplete="off" spellcheck={false} maxLength={512} onChange={(e) => setQuery({ prefix: e.currentTarget.value })} /></label>
        <label class="field"><span>kind</span>
          <select value={kind} onChange={(e) => setQuery({ kind: e.currentTarget.value })}>
            <option value="">all kinds</option>
            {kindNames(kind, kinds).map((k) => <option key={k} value={k}>{k}</option>)}
          </select></label>
      </div>
      {!shown || shown.rows === 0 ? (
        <Empty title="No row was scored yet">
          <p>{prefix || kind ? 'None of these keys had a scored row since this process started. ' : ''}Each shard after a key’s first is predicted before it is absorbed; the score appears then.</p>
        </Empty>
      ) : (
        <section class="card"><h2 class="visually-hidden">{kind || 'All kinds'}</h2><CalibrationView of={kind || 'all'} calibration={shown} /></section>
      )}
      {rows.length > 1 && (
        <Table<Kind> rows={rows} id={(k) => k} caption="Calibration by kind" columns={[
          { id: 'kind', head: 'kind', cell: (k) => <button type="button" class="link" onClick={() => setQuery({ kind: k === kind ? null : k })}>{k}</button> },
          { id: 'rows', head: 'rows', number: true, cell: (k) => count(byKind[k]?.rows) },
          { id: 'coverage', head: 'in 95 % intervals', number: true, cell: (k) => <Share coverage={byKind[k]?.coverage.find((c) => c.nominal === 0.95)} /> },
          { id: 'log', head: 'log density', number: true, wide: true, cell: (k) => <span title={exact(byKind[k]?.log_density)}>{significant(byKind[k]?.log_density, 4)}</span> },
        ]} />
      )}
    </div>
  )
}

function Share({ coverage: c }: { coverage: { share: number; low: number; high: number } | undefined }) {
  if (!c) return <>–</>
  const off = c.share < c.low ? 'too narrow' : c.share > c.high ? 'too wide' : ''
  return <span title={exact(c.share)}>{percent(c.share)} {off && <Badge tone="warn">{off}</Badge>}</span>
}
