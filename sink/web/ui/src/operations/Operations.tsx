import type { ComponentChildren } from 'preact'
import { api } from '../api/client.ts'
import { beyond, type Failure } from '../api/result.ts'
import type { DeadLetters } from '../api/types.ts'
import { ErrorState, Intro, Labelled, Loading } from '../components/index.ts'
import { absolute, bytes, count, significant } from '../format.ts'
import { NotReady, useOperations } from '../overview/Totals.tsx'
import { useResource, type Resource } from '../resource.ts'
import { DeadLetterList } from './DeadLetterList.tsx'
import { Events } from './Events.tsx'
import { Partitions } from './Partitions.tsx'
import './operations.css'

/** Operations shows partitions, what happened to them, and dead letters. */
export function Operations() {
  const operations = useOperations()
  const letters = useResource((signal) => api.deadLetters(100, signal), ['dead-letters'], { every: 5000 })
  const now = operations.value
  if (operations.failure && beyond(operations.failure)) return <Beyond failure={operations.failure} letters={letters} />
  if (!now && operations.failure) return <ErrorState failure={operations.failure} what="Operations can’t be read" retry={operations.reload} />
  if (!now) return <Loading what="operations" />
  const t = now.totals
  return (
    <div class="stack operations">
      <NotReady operations={operations} here />
      <div class="row operations-title">
        <h1>Operations</h1>
        <span class="muted">
          <bdi>{now.input}</bdi> → <bdi>{now.output}</bdi>, group <bdi>{now.group}</bdi>, version {now.version},{' '}
          up since {absolute(now.started)}
        </span>
      </div>
      <Intro view="operations" />
      <dl class="figures">
        <Figure name={<Labelled text="Keys in the store" term="key" />} value={count(t.keys)} />
        <Figure name={<Labelled text="Rows/s" term="rate" />} value={t.rows_per_second >= 100 ? count(t.rows_per_second) : significant(t.rows_per_second, 3)} />
        <Figure name={<Labelled text="Shards/s" term="shard" />} value={t.shards_per_second >= 100 ? count(t.shards_per_second) : significant(t.shards_per_second, 3)} />
        <Figure name={<Labelled text="Lag" term="lag" />} value={count(t.lag)} />
        <Figure name={<Labelled text="Dead letters" term="deadLetters" />} value={count(t.dead_letters)} alarm={t.dead_letters > 0} />
        <Figure name="Cache" value={bytes(t.cache_bytes)} />
        <Figure name="In flight" value={bytes(t.inflight_bytes)} />
      </dl>
      <Partitions partitions={now.partitions} check={now.commands['check'] ?? ''} />
      <div class="operations-halves">
        <DeadLetterList letters={letters} />
        <Events events={now.events} />
      </div>
    </div>
  )
}

/** Beyond is what is left of the page for who may not see all keys: why, and the dead letters of his own. */
function Beyond({ failure, letters }: { failure: Failure; letters: Resource<DeadLetters> }) {
  return (
    <div class="stack operations">
      <h1>Operations</h1>
      <div class="card stack" role="status">
        <p>Partitions, lag and events are of the whole process, and your token is not for all of its keys.</p>
        <p class="muted foreign">{failure.message}</p>
        <form method="post" action="/logout"><button type="submit">Log in with another token</button></form>
      </div>
      {!beyond(letters.failure) && <DeadLetterList letters={letters} />}
    </div>
  )
}

function Figure({ name, value, alarm = false }: { name: ComponentChildren; value: string; alarm?: boolean }) {
  return (
    <div class={alarm ? 'figure alarm' : 'figure'}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
