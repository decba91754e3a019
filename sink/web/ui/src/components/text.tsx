import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { absolute, ago, estimate, exact, shorten, type Spread } from '../format.ts'

/** Foreign shows a key, a variable or any text from outside: on one line, shortened in the middle, whole in the title. */
export function Foreign({ text, length = 60, code = false }: { text: string; length?: number; code?: boolean }) {
  return (
    <bdi class={code ? 'foreign line mono' : 'foreign line'} title={text}>
      {shorten(text, length)}
    </bdi>
  )
}

/** Estimate shows a number of a row with the digits the row supports; the title and data-value have all of them. */
export function Estimate({ value, row }: { value: number | null; row: Spread }) {
  return (
    <span title={exact(value)} data-value={value ?? ''}>
      {estimate(value, row)}
    </span>
  )
}

const second = signal(Date.now())
let watchers = 0
let timer: ReturnType<typeof setInterval> | undefined

/** useSecond makes a component render once a second, all of them by one timer. */
export function useSecond(): number {
  useEffect(() => {
    if (watchers++ === 0) timer = setInterval(() => (second.value = Date.now()), 1000)
    return () => {
      if (--watchers === 0) clearInterval(timer)
    }
  }, [])
  return second.value
}

/** Ago shows how long ago a time was and keeps it current; the title has the time itself. */
export function Ago({ time, short = false }: {
  time: string | number
  /** Without the word ago, in a column of ages. */
  short?: boolean
}) {
  const now = useSecond()
  const date = new Date(time)
  const said = ago(time, Math.max(now, Date.now() - 1000))
  return (
    <time dateTime={Number.isNaN(date.getTime()) ? '' : date.toISOString()} title={absolute(time)}>
      {short ? said.replace(/ ago$/, '') : said}
    </time>
  )
}

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'info'

/** Badge marks a state. The words say it; the colour only helps. */
export function Badge({ tone = 'plain', title, children }: { tone?: Tone; title?: string; children: ComponentChildren }) {
  return (
    <span class={'badge ' + tone} title={title}>
      {children}
    </span>
  )
}
