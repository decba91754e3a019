import type { OperationEvent } from '../api/types.ts'
import { Ago, Badge, type Tone } from '../components/index.ts'

const tone: Record<OperationEvent['kind'], Tone> = {
  claimed: 'plain', released: 'plain', fenced: 'warn', 'rolled back': 'warn', halted: 'bad', resumed: 'good', waiting: 'warn',
}

/** Events are what happened to partitions, newest first. */
export function Events({ events }: { events: readonly OperationEvent[] }) {
  return (
    <section aria-labelledby="events-title" class="stack">
      <h2 id="events-title">Events</h2>
      {events.length === 0
        ? <p class="card muted">Nothing since the process started. Claims, releases, fencing and halts of partitions appear here.</p>
        : (
          <ol class="card events" tabIndex={0} aria-labelledby="events-title">
            {events.map((e, i) => (
              <li key={events.length - i}>
                <span class="event-time muted"><Ago time={e.time} /></span>
                <Badge tone={tone[e.kind]}>{e.kind}</Badge>
                <span class="foreign">{e.partition === null ? '' : `partition ${e.partition}: `}{e.message}</span>
              </li>
            ))}
          </ol>
        )}
    </section>
  )
}
