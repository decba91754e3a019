import { api } from '../api/client.ts'
import { ErrorState, Foreign, Loading, Table } from '../components/index.ts'
import { meanSd } from '../format.ts'
import { keyPath, query } from '../router.ts'
import { useResource } from '../resource.ts'

/** ForestPage compares one variable across keys: ?variable= and the filters of the overview. */
export function ForestPage() {
  const variable = query.value.get('variable') ?? '**'
  const list = useResource((signal) => api.models({ variables: variable, limit: 100 }, signal), [variable])
  if (list.failure && !list.value) return <ErrorState failure={list.failure} what="The keys can’t be listed" retry={list.reload} />
  if (!list.value) return <Loading what="the keys" />
  const rows = list.value.models.flatMap((m) => (m.posterior ?? []).map((r) => ({ key: m.key, r })))
  return (
    <Table
      caption="Posteriors across keys" rows={rows} id={(x) => x.key + '\0' + x.r.variable}
      columns={[
        { id: 'key', head: 'Key', cell: (x) => <a href={keyPath(x.key)}><Foreign text={x.key} /></a> },
        { id: 'variable', head: 'Variable', cell: (x) => <Foreign text={x.r.variable} /> },
        { id: 'mean', head: 'Mean ± sd', number: true, cell: (x) => meanSd(x.r) },
      ]}
    />
  )
}
