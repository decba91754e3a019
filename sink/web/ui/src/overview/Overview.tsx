import { api } from '../api/client.ts'
import { ErrorState, Foreign, Loading } from '../components/index.ts'
import { keyPath } from '../router.ts'
import { useResource } from '../resource.ts'

/** Overview lists the keys. */
export function Overview() {
  const list = useResource((signal) => api.models({ limit: 500 }, signal), [])
  if (list.failure && !list.value) return <ErrorState failure={list.failure} what="The keys can’t be listed" retry={list.reload} />
  if (!list.value) return <Loading what="keys" />
  return <ul>{list.value.models.map((m) => <li key={m.key}><a href={keyPath(m.key)}><Foreign text={m.key} /></a></li>)}</ul>
}
