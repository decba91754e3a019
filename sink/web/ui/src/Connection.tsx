import { Badge, useSecond } from './components/index.ts'
import { count } from './format.ts'
import { connection } from './live.ts'

/** Connection shows whether updates arrive, and when the next attempt is if they do not. */
export function Connection() {
  const now = useSecond()
  const stream = connection.value
  if (!stream) return <span class="connection" />
  const state = stream.state.value
  switch (state.name) {
    case 'open':
      return <span class="connection" role="status"><Badge tone="good" title="Updates arrive as they happen"><i class="dot" aria-hidden="true" />Live</Badge></span>
    case 'connecting':
      return <span class="connection" role="status"><Badge>Connecting …</Badge></span>
    case 'paused':
      return <span class="connection" />
    case 'lost':
      return (
        <span class="connection lost" role="status">
          <Badge tone="bad" title={state.failure ? state.failure.message + '. ' + state.failure.todo : 'No answer from the consumer. Check that it runs.'}>
            Connection lost
          </Badge>
          <span class="muted connection-wait">again in {count(Math.max(0, Math.ceil((state.at - now) / 1000)))}{'\u202f'}s</span>
          <button type="button" class="quiet" onClick={() => stream.retry()}>Now</button>
        </span>
      )
  }
}
