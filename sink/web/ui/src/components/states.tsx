import type { ComponentChildren } from 'preact'
import type { Failure } from '../api/result.ts'
import { Badge } from './text.tsx'

/** Empty stands where there is nothing yet and says how something gets there. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty" role="status">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Plain shows a text of the page in which backticks mark what is typed. */
export function Plain({ text }: { text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
}

/** ErrorState says what was wrong, what to do, and offers to try again. */
export function ErrorState({ failure, what, retry }: { failure: Failure; what: string; retry?: () => void }) {
  return (
    <div class="empty error" role="alert">
      <h2>{what}</h2>
      <p class="foreign">{failure.message}</p>
      <p class="muted"><Plain text={failure.todo} /></p>
      <div class="row">
        <Badge tone="bad">{failure.status === 0 ? failure.code : `${failure.status} ${failure.code}`}</Badge>
        {retry && <button type="button" onClick={retry}>Try again</button>}
        {failure.status === 401 && <a href="/login">Log in</a>}
      </div>
    </div>
  )
}

/** Loading holds the place of what is on its way; it says so only after a moment. */
export function Loading({ what }: { what: string }) {
  return (
    <div class="empty loading" role="status" aria-busy="true">
      <p class="muted">Loading {what} …</p>
    </div>
  )
}
