import { useEffect } from 'preact/hooks'
import { Badge, useSecond } from './components/index.ts'
import { absolute, ago, count } from './format.ts'
import { askHeard, connection, heard } from './live.ts'

/** Milliseconds without a record after which a stream that is open is called quiet, not live. */
const quiet = 60_000

/** Connection shows whether updates arrive, since when none did, and when the next attempt is if the stream is lost. */
export function Connection() {
  const now = useSecond()
  const stream = connection.value
  const open = stream?.state.value.name === 'open'
  useEffect(() => {
    if (open) void askHeard()
  }, [open])
  if (!stream) return <span class="connection" />
  const state = stream.state.value
  switch (state.name) {
    case 'open':
      return <span class="connection" role="status"><Open now={now} /></span>
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

/** Open is green only while records come: an open connection to a process without work is no news. */
function Open({ now }: { now: number }) {
  const last = heard.value
  if (last === 0) return <Badge title="Connected. This process has absorbed no record since it started."><span><span class="long">Connected, </span>no record yet</span></Badge>
  if (now - last < quiet) return <Badge tone="good" title="Updates arrive as they happen"><i class="dot" aria-hidden="true" />Live</Badge>
  return <Badge title={`Connected. The last record came at ${absolute(last)}.`}><span><span class="long">Last record </span>{ago(last, now)}</span></Badge>
}
