import { api } from '../api/client.ts'
import { ErrorState, Loading } from '../components/index.ts'
import { count } from '../format.ts'
import { useResource } from '../resource.ts'

/** Operations shows what the process does. */
export function Operations() {
  const now = useResource((signal) => api.operations(signal), [], { every: 2000 })
  if (now.failure && !now.value) return <ErrorState failure={now.failure} what="Operations can’t be read" retry={now.reload} />
  if (!now.value) return <Loading what="operations" />
  return <p>{count(now.value.totals.keys)} keys, {count(now.value.totals.lag)} records behind</p>
}
