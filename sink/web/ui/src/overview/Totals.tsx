import { api } from '../api/client.ts'
import { beyond } from '../api/result.ts'
import type { Operations } from '../api/types.ts'
import { Labelled, Plain, type TermName } from '../components/index.ts'
import { count, significant } from '../format.ts'
import { useResource, type Resource } from '../resource.ts'

/** useOperations asks for /v1/operations every two seconds. */
export function useOperations(): Resource<Operations> {
  return useResource((signal) => api.operations(signal), ['operations'], { every: 2000 })
}

/** Totals are four numbers about the process; who may not see it has the number of the keys of his own. */
export function Totals({ operations, keys }: { operations: Resource<Operations>; keys: number }) {
  const t = operations.value?.totals
  if (beyond(operations.failure))
    return (
      <dl class="totals" aria-label="Totals">
        <Total name="Keys" term="key" value={count(keys)} />
      </dl>
    )
  return (
    <dl class="totals" aria-label="Totals">
      <Total name="Keys" term="key" value={count(t?.keys)} />
      <Total name="Rows/s" term="rate" value={t ? (t.rows_per_second >= 100 ? count(t.rows_per_second) : significant(t.rows_per_second, 3)) : count(null)} />
      <Total name="Lag" term="lag" value={count(t?.lag)} />
      <Total name="Dead letters" term="deadLetters" value={count(t?.dead_letters)} alarm={(t?.dead_letters ?? 0) > 0} />
    </dl>
  )
}

function Total({ name, term, value, alarm = false }: { name: string; term: TermName; value: string; alarm?: boolean }) {
  return (
    <div class={alarm ? 'total alarm' : 'total'}>
      <dt><Labelled text={name} term={term} /></dt>
      <dd>{alarm ? <a href="/operations#dead-letters">{value}</a> : value}</dd>
    </div>
  )
}

/** NotReady says what keeps the process from working, above everything else. */
export function NotReady({ operations, here = false }: {
  operations: Resource<Operations>
  /** The page says itself what to do. */
  here?: boolean
}) {
  const { value, failure } = operations
  if (failure && !beyond(failure))
    return (
      <div class="banner bad" role="alert">
        <strong>{failure.status === 0 ? 'The consumer does not answer.' : `The consumer answers ${failure.status}.`}</strong>
        <span>{failure.status === 0 ? '' : failure.message + '. '}<Plain text={failure.todo} />{value ? ' What is shown may be old.' : ''}</span>
      </div>
    )
  if (!value || value.ready) return null
  return (
    <div class="banner warn" role="status">
      <strong>The consumer is not ready.</strong>
      <ul>{value.reasons.map((r) => <li key={r} class="foreign">{r}</li>)}</ul>
      <span>Keys and posteriors come from the store and can still be read. {!here && <a href="/operations">What to do</a>}</span>
    </div>
  )
}
