import { signal, type ReadonlySignal } from '@preact/signals'
import { api } from '../api/client.ts'
import type { Failure } from '../api/result.ts'
import type { Flag, Kind, Order, Point } from '../api/types.ts'
import { byteOrder, merge } from './order.ts'
import { glob } from './variables.ts'

/** What the list is narrowed to; kind and flag are the server's work, text the page's. */
export interface Filter {
  text: string
  kind: Kind | ''
  flag: Flag | ''
  /** Times of records between which a key's shards, or its flag, were; '' for no bound. */
  from: string
  to: string
  /** '' is byte order. Keys that this process has not seen follow in byte order. */
  sort: Order | ''
  /** What the order by effect and certainty is about: a name, a glob, or '' for the first variable of each. */
  by: string
}

/** asksServer says whether a filter differs in what only the server can answer. */
const asksServer = (a: Filter, b: Filter) =>
  a.kind !== b.kind || a.flag !== b.flag || a.from !== b.from || a.to !== b.to || a.sort !== b.sort || (a.by !== b.by && (a.sort.startsWith('effect') || a.sort === 'certainty'))

export interface KeysState {
  /** Keys to show, in the order asked for. */
  shown: readonly string[]
  /** Keys that match kind and flag, as far as they are loaded. */
  loaded: number
  /** Keys in the store without any filter. */
  total: number
  loading: boolean
  failure: Failure | null
  /** There are more keys than the page holds: the text is searched for by the server. */
  capped: boolean
  /** When the order was made, in milliseconds since the epoch; null: byte order, which always is. */
  sortedAt: number | null
}

const page = 10_000
const most = 300_000
const settle = 1000 // new keys are put in at most this often
const retryWait = 3000

/** Keys is the flat list of all keys that match, kept up to date by live points. */
export class Keys {
  readonly state: ReadonlySignal<KeysState>
  private readonly set = signal<KeysState>({ shown: [], loaded: 0, total: 0, loading: true, failure: null, capped: false, sortedAt: null })
  private all: string[] = []
  private lower: string[] = []
  private known = new Set<string>()
  private fresh = new Set<string>()
  private gone = new Set<string>()
  private filter: Filter = { text: '', kind: '', flag: '', from: '', to: '', sort: '', by: '' }
  private abort = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private again: ReturnType<typeof setTimeout> | undefined
  private started = false

  constructor() {
    this.state = this.set
  }

  /** narrow applies a filter; it asks the server only where that is needed. */
  narrow(filter: Filter) {
    const before = this.filter
    this.filter = filter
    const asks = asksServer(filter, before) || (this.set.peek().capped && filter.text !== before.text)
    // A time that goes on with the clock leaves what is shown in its place.
    if (!this.started || asks) void this.load(!this.started || asksServer({ ...filter, from: '' }, { ...before, from: '' }) || (filter.from === '') !== (before.from === ''))
    else if (filter.text !== before.text) this.show()
  }

  /** load reads all keys anew; the list shown stays until the first page is there, unless clear. */
  async load(clear = false) {
    this.started = true
    this.abort.abort()
    clearTimeout(this.again)
    const abort = (this.abort = new AbortController())
    const { kind, flag, from, to, text, sort, by } = this.filter
    const capped = this.set.peek().capped
    this.set.value = { ...this.set.peek(), ...(clear ? { shown: [], loaded: 0 } : {}), loading: true, failure: null, sortedAt: sort ? Date.now() : null }
    const narrowed = {
      ...(kind ? { kind } : {}), ...(flag ? { flag } : {}), ...(from ? { from } : {}), ...(to ? { to } : {}), ...(capped && text ? { contains: text } : {}),
    }
    let keys: string[] = []
    // Those in order come first; a list of a flag or a time has no others.
    let sorted = sort !== ''
    const ordered = new Set<string>()
    let after: string | undefined
    for (;;) {
      const answer = await api.models({
        fields: 'key', limit: page, ...narrowed, ...(after === undefined ? {} : { after }), ...(sorted && sort ? { sort, ...(by ? { variables: glob(by) } : {}) } : {}),
      }, abort.signal)
      if (abort.signal.aborted) return
      if (!answer.ok) {
        const { status, retryAfter } = answer.failure
        const passes = status === 0 || status === 429 || status >= 500
        this.set.value = { ...this.set.peek(), loading: passes && keys.length > 0, failure: answer.failure }
        if (!passes) return
        // It goes on with the page that failed, not from the start.
        await new Promise((done) => (this.again = setTimeout(done, Math.max(status === 429 ? 1000 : retryWait, retryAfter ?? 0))))
        if (abort.signal.aborted) return
        continue
      }
      const { models, next, total } = answer.value
      const more = models.map((m) => m.key)
      const partial = sorted && !flag && !from && !to
      if (sorted) for (const k of more) ordered.add(k)
      keys = keys.concat(sorted || ordered.size === 0 ? more : more.filter((k) => !ordered.has(k)))
      const done = !partial && (next === null || keys.length >= most)
      // A growing list is shown from its first page on; a refreshed one at its end.
      if (done || this.all.length <= keys.length || clear) this.replace(keys)
      this.set.value = { ...this.set.peek(), total, loading: !done, failure: null, capped: (capped && next !== null) || (next !== null && done) || (capped && text !== '') }
      this.show()
      if (done) break
      if (!sorted) after = next ?? undefined
      sorted = false
    }
    this.mend()
  }

  /** seen takes live points: keys that are new and match are put in, those that match no more are taken out. */
  seen(points: readonly Point[]) {
    const { kind, flag, from, to } = this.filter
    // What comes now is of now: a list that ends before has none of it.
    if (to) return
    for (const p of points) {
      const fits = (!kind || p.kind === kind) && (!flag || p.flags.includes(flag))
      if (!fits && from) continue // it was what was asked for at another time
      if (fits) this.gone.delete(p.key)
      else this.fresh.delete(p.key)
      if (fits === this.known.has(p.key)) continue
      if (fits) this.fresh.add(p.key)
      else this.gone.add(p.key)
    }
    if (this.fresh.size + this.gone.size > 0) this.later()
  }

  removed(key: string) {
    this.fresh.delete(key)
    if (!this.known.has(key)) return
    this.gone.add(key)
    this.later()
  }

  private later() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      if (!this.set.peek().loading) this.mend()
    }, settle)
  }

  /** mend puts in and takes out what live points told. */
  private mend() {
    const fresh = [...this.fresh].filter((k) => !this.known.has(k)).sort(byteOrder)
    const before = this.all.length
    if (fresh.length === 0 && this.gone.size === 0) return
    let all: string[] = this.all
    if (this.gone.size > 0) all = all.filter((k) => !this.gone.has(k))
    if (fresh.length > 0 && all.length < most) {
      // A sorted list gets what is new at its end, but the newest first.
      const { sort } = this.filter
      all = sort === '' ? merge(all, fresh) : sort === 'newest' ? [...fresh, ...all] : [...all, ...fresh]
    }
    this.fresh.clear()
    this.gone.clear()
    this.replace(all)
    // A key that comes into or leaves a filtered list was and is in the store.
    const filtered = this.filter.kind !== '' || this.filter.flag !== '' || this.filter.from !== ''
    this.set.value = { ...this.set.peek(), total: this.set.peek().total + (filtered ? 0 : all.length - before) }
    this.show()
  }

  private replace(keys: string[]) {
    this.all = keys
    this.lower = []
    this.known = new Set(keys)
  }

  private show() {
    const text = this.filter.text.toLowerCase()
    let shown: readonly string[] = this.all
    if (text) {
      if (this.lower.length !== this.all.length) this.lower = this.all.map((k) => k.toLowerCase())
      shown = this.all.filter((_, i) => (this.lower[i] as string).includes(text))
    }
    this.set.value = { ...this.set.peek(), shown, loaded: this.all.length }
  }
}
