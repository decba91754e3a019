import { signal, useSignal, type Signal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { beyond, failure, type Failure, type Result } from './api/result.ts'

interface State<T> {
  /** The last good answer; stays while a newer one is asked for or fails. */
  value: T | undefined
  failure: Failure | undefined
  loading: boolean
}

export interface Resource<T> extends State<T> {
  /** Asks again now. */
  reload: () => void
}

type Ask<T> = (signal: AbortSignal) => Promise<Result<T>>

interface Options {
  /** Milliseconds between the end of an answer and the next question; none: asked once. Pauses in a hidden tab. */
  every?: number
}

/** The wait before a failed question is asked again, where asking makes sense. */
const again = 3000

const unasked = { value: undefined, failure: undefined, loading: true }

/** follow asks now and keeps state until end is called; see useResource. */
function follow<T>(ask: Ask<T>, state: Signal<State<T>>, options: Options) {
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let under = false
  state.value = unasked
  const once = async () => {
    if (under || abort.signal.aborted) return
    under = true
    clearTimeout(timer)
    const result = await ask(abort.signal).catch(() => ({ ok: false as const, failure: failure(0, 'page', 'the page failed to ask') }))
    under = false
    if (abort.signal.aborted) return
    let wait = options.every
    if (result.ok) state.value = { value: result.value, failure: undefined, loading: false }
    else {
      // What a token may not see any more is not shown any more.
      state.value = { value: beyond(result.failure) ? undefined : state.peek().value, failure: result.failure, loading: false }
      const s = result.failure.status
      wait = s === 0 || s === 429 || s >= 500 ? Math.max(result.failure.retryAfter ?? 0, wait ?? 0, again) : undefined
    }
    if (wait !== undefined) timer = setTimeout(() => (document.hidden ? undefined : void once()), wait)
  }
  const shown = () => {
    if (!document.hidden && (options.every !== undefined || state.peek().failure)) void once()
  }
  document.addEventListener('visibilitychange', shown)
  void once()
  const end = () => {
    abort.abort()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', shown)
  }
  return { reload: () => void once(), end }
}

/**
 * useResource asks when the component appears and when deps change. Failures
 * that may pass by themselves (no answer, 429, 5xx) are asked again.
 */
export function useResource<T>(ask: Ask<T>, deps: readonly unknown[], options: Options = {}): Resource<T> {
  const state = useSignal<State<T>>(unasked)
  const run = useRef(() => {})
  const id = JSON.stringify(deps)
  useEffect(() => {
    const asking = follow(ask, state, options)
    run.current = asking.reload
    return asking.end
  }, [id])
  const reload = useCallback(() => run.current(), [])
  return { ...state.value, reload }
}

/** shared makes a hook for what does not change while the page is open: the first component asks, and all have the answer. */
export function shared<T>(ask: Ask<T>): () => Resource<T> {
  const state = signal<State<T>>(unasked)
  let asking: { reload: () => void } | undefined
  return () => {
    useEffect(() => {
      asking ??= follow(ask, state, {})
    }, [])
    return { ...state.value, reload: () => asking?.reload() }
  }
}
