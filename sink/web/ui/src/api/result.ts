// Failures are values: a page shows what was wrong and what to do, and nothing
// throws across a component.

export interface Failure {
  /** HTTP status; 0 when no answer came. */
  status: number
  code: string
  message: string
  /** What the reader of the page can do about it. */
  todo: string
  /** Milliseconds the server asked to wait, where it did. */
  retryAfter?: number
}

/** beyond says that what was asked for is not of the keys that the token is for: no outage, and nothing to ask again. */
export const beyond = (f: Failure | undefined) => f?.code === 'out_of_scope'

export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure }

const todos: Record<number, string> = {
  0: 'Check that the consumer runs and that this host reaches it. The page tries again by itself.',
  400: 'Change the request as the message says.',
  401: 'Log in with the token in the file that http.token_file names.',
  403: 'Log in with a token that may do this.',
  404: 'Check the spelling, or go back to the list of keys. A model appears with its first checkpoint.',
  406: 'This page and the consumer are of different versions: reload it.',
  413: 'Send fewer rows at once.',
  415: 'This page and the consumer are of different versions: reload it.',
  422: 'Change the rows as the message says.',
  429: 'The consumer limits how often it is asked. The page waits and tries again.',
  500: 'See the consumer’s log; `consumer check --config FILE` finds common causes.',
  503: 'Check that the store and the brokers run: `consumer check --config FILE` names what does not. The page tries again by itself.',
}

/** failure describes an answer that was not the one hoped for. */
export function failure(status: number, code: string, message: string, retryAfter?: number): Failure {
  const todo = todos[status] ?? todos[status >= 500 ? 500 : 400] ?? ''
  return retryAfter === undefined ? { status, code, message, todo } : { status, code, message, todo, retryAfter }
}
