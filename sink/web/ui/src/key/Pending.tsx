import type { About, Posterior } from '../api/types.ts'
import { Ago, Foreign } from '../components/index.ts'
import { absolute, bytes, count, span } from '../format.ts'

/** Pending says how many rows of a key wait until they are a shard, of how many and since when; nothing where none does. */
export function Pending({ posterior, about }: { posterior: Posterior; about: About | null }) {
  const w = posterior.waiting
  if (!w) return null
  const until = about?.coalesce
  return (
    <section class="notice pending" aria-label="Rows that wait">
      <p>
        <b data-testid="waiting" data-value={w.rows}>{count(w.rows)}</b>{until && <> of <b>{count(until.rows)}</b></>} {w.rows === 1 && !until ? 'row waits' : 'rows wait'} for
        the next shard, since <Ago time={w.time} /> ({absolute(w.time)}).
        {posterior.t === 0 && ' The posterior begins with that shard.'}
      </p>
      {until && <progress max={until.rows} value={Math.min(w.rows, until.rows)} aria-label={`${w.rows} of ${until.rows} rows`} />}
      <p class="muted small">
        From {count(w.records)} {w.records === 1 ? 'record' : 'records'}, the first at offset {String(w.offset)} of <Foreign text={posterior.source.topic} length={40} />; {bytes(w.bytes)}.
        {until && ` They are absorbed with the record that makes them ${count(until.rows)}${until.seconds === undefined ? '' : `, or with the first one ${span(until.seconds)} or more after theirs by its timestamp`}. Without a new record of this key they wait.`}
      </p>
    </section>
  )
}
