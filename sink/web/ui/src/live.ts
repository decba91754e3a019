import { computed, signal, type ReadonlySignal } from '@preact/signals'
import { api, search } from './api/client.ts'
import type { Failure } from './api/result.ts'
import type { Point } from './api/types.ts'

// Server-sent events. One Stream serves every listener of the page; a key's
// page opens a second one. A stream that breaks comes back with the id of the
// last message it took, so nothing is missed and nothing comes twice.

export type StreamState =
  | { name: 'connecting' }
  | { name: 'open' }
  /** Broken; the next attempt is at `at` (milliseconds since the epoch). */
  | { name: 'lost'; at: number; failure: Failure | null }
  /** Put aside because nobody listens or the tab is hidden. */
  | { name: 'paused' }

export interface Listener {
  /** Newest points, oldest first. */
  points?: (points: Point[]) => void
  deleted?: (key: string) => void
  /** What came while away is not kept any more: read everything anew. */
  reset?: () => void
}

export interface StreamQuery {
  /** Glob on the key; the key of one model is its own glob. */
  key?: string
  /** Least milliseconds between messages. */
  every?: number
  variables?: string
}

const firstWait = 500
const longestWait = 30_000
const hiddenFor = 20_000

const streams = signal<readonly Stream[]>([])

/** connection is the stream that the header tells about: a broken one before a whole one; null while none is wanted. */
export const connection = computed(() => {
  const wanted = streams.value.filter((s) => s.state.value.name !== 'paused')
  return wanted.find((s) => s.state.value.name === 'lost') ?? wanted.find((s) => s.state.value.name === 'connecting') ?? wanted[0] ?? null
})

/**
 * heard is when the newest record came, in milliseconds since the epoch: the moment
 * in which this page was told, or the record's own time where that was before the page was opened; 0: not known.
 */
export const heard = signal(0)

/** askHeard finds the newest record of before the page was opened. */
export async function askHeard() {
  const answer = await api.models({ sort: 'newest', limit: 1, fields: 'all', variables: 'none' })
  const time = answer.ok ? Date.parse(answer.value.models[0]?.time ?? '') : NaN
  if (Number.isFinite(time)) heard.value = Math.max(heard.peek(), time)
}

export class Stream {
  readonly state: ReadonlySignal<StreamState>
  private readonly set = signal<StreamState>({ name: 'paused' })
  private readonly listeners = new Set<Listener>()
  private source: EventSource | null = null
  private last = ''
  private attempts = 0
  private opened = false
  private readonly waiting = new Set<() => void>()
  /** Something was read while there was no place: what came between may be in neither. */
  private early = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private hiding: ReturnType<typeof setTimeout> | undefined

  constructor(private query: StreamQuery) {
    this.state = this.set
    streams.value = [...streams.peek(), this]
    document.addEventListener('visibilitychange', this.visibility)
    addEventListener('pagehide', this.leave)
    addEventListener('pageshow', this.visibility)
  }

  /** listen opens the stream if it is not open; the function it returns ends the listening. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    if (this.set.peek().name === 'paused') this.open()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) this.pause()
    }
  }

  /** ask changes what is asked for; the stream goes on where it was. */
  ask(query: StreamQuery) {
    if (JSON.stringify(query) === JSON.stringify(this.query)) return
    this.query = query
    if (this.set.peek().name !== 'paused') this.open()
  }

  /**
   * placed waits until the stream has its first place, from which on it tells what changes: for ms at most, and not
   * for a stream that is broken. Who goes on without a place is told a reset when there is one.
   */
  placed(ms: number): Promise<void> {
    if (this.last !== '') return Promise.resolve()
    return new Promise((done) => {
      const end = () => {
        clearTimeout(timer)
        this.waiting.delete(end)
        if (this.last === '') this.early = true
        done()
      }
      const timer = setTimeout(end, ms)
      this.waiting.add(end)
    })
  }

  /** retry connects at once instead of waiting. */
  retry() {
    this.attempts = 0
    this.open()
  }

  /** close ends the stream for good. */
  close() {
    this.listeners.clear()
    this.pause()
    streams.value = streams.peek().filter((s) => s !== this)
    document.removeEventListener('visibilitychange', this.visibility)
    removeEventListener('pagehide', this.leave)
    removeEventListener('pageshow', this.visibility)
  }

  private pause() {
    clearTimeout(this.timer)
    this.source?.close()
    this.source = null
    this.set.value = { name: 'paused' }
  }

  private open() {
    clearTimeout(this.timer)
    this.source?.close()
    const source = new EventSource('/v1/events' + search({ ...this.query, since: this.last }))
    this.source = source
    if (this.set.peek().name !== 'lost') this.set.value = { name: 'connecting' }
    source.onopen = () => {
      this.attempts = 0
      // Back without having taken a message before: what came between is not known.
      if (this.opened && this.last === '') this.forgotten()
      this.opened = true
      this.set.value = { name: 'open' }
    }
    source.addEventListener('updates', (event) => {
      this.took(event)
      const points = parse<Point[]>(event.data)
      if (!points) return
      heard.value = Date.now()
      for (const l of this.listeners) l.points?.(points)
    })
    source.addEventListener('deleted', (event) => {
      this.took(event)
      const key = parse<{ key: string }>(event.data)?.key
      if (key !== undefined) for (const l of this.listeners) l.deleted?.(key)
    })
    source.addEventListener('position', (event) => this.took(event))
    source.addEventListener('reset', (event) => {
      this.early = false // told below
      this.took(event)
      this.forgotten()
    })
    source.onerror = () => {
      if (this.source === source) void this.lost(source)
    }
  }

  private took(event: MessageEvent) {
    if (!event.lastEventId) return
    this.last = event.lastEventId
    for (const end of this.waiting) end()
    if (this.early) this.forgotten()
  }

  /** forgotten tells that what was read may lack something. */
  private forgotten() {
    this.early = false
    for (const l of this.listeners) l.reset?.()
  }

  /** The browser would come back by itself, but not after an error status, and without back-off. */
  private async lost(source: EventSource) {
    source.close()
    this.source = null
    const wait = Math.min(longestWait, firstWait * 2 ** this.attempts++) * (0.75 + Math.random() / 2)
    this.set.value = { name: 'lost', at: Date.now() + wait, failure: null }
    for (const end of this.waiting) end()
    this.timer = setTimeout(() => this.open(), wait)
    // An EventSource does not tell the status: a small question does, and its
    // 401 leads to the login page.
    const answer = await api.models({ limit: 1, fields: 'key' })
    const now = this.set.peek()
    if (now.name !== 'lost') return
    if (!answer.ok) this.set.value = { ...now, failure: answer.failure }
  }

  /** Hidden tabs give their connection back: a browser has six for a host. */
  private readonly visibility = () => {
    clearTimeout(this.hiding)
    if (document.hidden) this.hiding = setTimeout(() => this.pause(), hiddenFor)
    else if (this.set.peek().name === 'paused' && this.listeners.size > 0) this.open()
  }

  /** A page that was left may be kept for the back button, and its connections with it. */
  private readonly leave = () => {
    clearTimeout(this.hiding)
    this.pause()
  }
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined // the next message or a reset repairs it
  }
}

/** live is the stream of all keys that the whole page shares. */
export const live = new Stream({ every: 250 })

/** keyStream opens a stream of one key's points, every shard of it; close it when the key's page closes. */
export function keyStream(key: string, listener: Listener): Stream {
  const stream = new Stream({ key })
  stream.listen({
    ...listener,
    // A key with stars is a glob that may match others.
    points: (points) => {
      const own = points.filter((p) => p.key === key)
      if (own.length > 0) listener.points?.(own)
    },
    deleted: (k) => {
      if (k === key) listener.deleted?.(k)
    },
  })
  return stream
}
