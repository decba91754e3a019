import { api } from '../api/client.ts'
import type { Row } from '../api/types.ts'
import { ErrorState, Estimate, Foreign, Loading, Table, type Column } from '../components/index.ts'
import { count, meanSd } from '../format.ts'
import { useResource } from '../resource.ts'

const columns: Column<Row>[] = [
  { id: 'variable', head: 'Variable', cell: (r) => <Foreign text={r.variable} /> },
  { id: 'mean', head: 'Mean ± sd', number: true, cell: (r) => meanSd(r) },
  { id: 'low', head: '2.5 %', number: true, cell: (r) => <Estimate value={r['q2.5']} row={r} /> },
  { id: 'high', head: '97.5 %', number: true, cell: (r) => <Estimate value={r['q97.5']} row={r} /> },
]

/** KeyPage shows one model. */
export function KeyPage({ name }: { name: string }) {
  const model = useResource((signal) => api.model(name, signal), [name])
  return (
    <div class="stack">
      <h1><Foreign text={name} length={100} /></h1>
      {model.failure && <ErrorState failure={model.failure} what="This model can’t be shown" retry={model.reload} />}
      {model.loading && !model.value && <Loading what="the model" />}
      {model.value && <p class="muted">{model.value.kind}, {count(model.value.n)} rows in {count(model.value.t)} shards</p>}
      {model.value && <Table columns={columns} rows={model.value.posterior} id={(r) => r.variable} caption="Posterior by variable" />}
    </div>
  )
}
