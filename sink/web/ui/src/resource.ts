import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { failure, type Failure, type Result } from './api/result.ts'

export interface Resource<T> {
  /** The last good answer; stays while a newer one is asked for or fails. */
  value: T | undefined
  failure: Failure | undefined
  loading: boolean
  /** Asks again now. */
  reload: () => void
}

interface Options {
  /** Milliseconds between the end of an answer and the next question; none: asked once. Pauses in a hidden tab. */
  every?: number
}

/** The wait before a failed question is asked again, where asking makes sense. */
const again = 3000

/**
 * useResource asks when the component appears and when deps change. Failures
 * that may pass by themselves (no answer, 429, 5xx) are asked again.
 */
export function useResource<T>(ask: (signal: AbortSignal) => Promise<Result<T>>, deps: readonly unknown[], options: Options = {}): Resource<T> {
  const state: ReadonlySignal<Omit<Resource<T>, 'reload'>> & { value: Omit<Resource<T>, 'reload'> } =
    useSignal<Omit<Resource<T>, 'reload'>>({ value: undefined, failure: undefined, loading: true })
  const run = useRef(() => {})
  const id = JSON.stringify(deps)
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let under = false
    state.value = { value: undefined, failure: undefined, loading: true }
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
        state.value = { value: state.peek().value, failure: result.failure, loading: false }
        const s = result.failure.status
        wait = s === 0 || s === 429 || s >= 500 ? Math.max(result.failure.retryAfter ?? 0, wait ?? 0, again) : undefined
      }
      if (wait !== undefined) timer = setTimeout(() => (document.hidden ? undefined : void once()), wait)
    }
    const shown = () => {
      if (!document.hidden && (options.every !== undefined || state.peek().failure)) void once()
    }
    document.addEventListener('visibilitychange', shown)
    run.current = () => void once()
    void once()
    return () => {
      abort.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', shown)
    }
  }, [id])
  const reload = useCallback(() => run.current(), [])
  return { ...state.value, reload }
}
