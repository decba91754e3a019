import { signal, type ReadonlySignal } from '@preact/signals'
import { api } from '../api/client.ts'
import type { Failure } from '../api/result.ts'
import type { Flag, Kind, Order, Point } from '../api/types.ts'
import { byteOrder, merge } from './order.ts'
import { glob } from './variables.ts'

/** What the list is narrowed to: the server's work, but for a text where the page knows all keys that may have it. */
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
  /** Keys that are loaded: those that match, their text aside where the page knows them all. */
  loaded: number
  /** Keys in the store without any filter. */
  total: number
  loading: boolean
  failure: Failure | null
  /** Whether the store has more that match: they follow when asked for, or only search finds them. */
  more: 'none' | 'follow' | 'hidden'
  /** When the order was made, in milliseconds since the epoch; null: byte order, which always is. */
  sortedAt: number | null
}

/** Keys that are asked for when a list is opened, whatever there is: some screens of them. */
const opening = 2_000
/** Keys that follow each time a reader comes to the end of the list, and the most of an order. */
const page = 10_000
/** Requests for them at once: where few keys match, an answer has less than was asked for. */
const looks = 8
const settle = 1000 // new keys are put in at most this often
const typing = 200 // ms without a letter before the server searches
const retryWait = 3000

/** Place is where a list goes on: in its order, or behind a key. */
type Place = { sorted: true } | { sorted: false; after?: string }

/**
 * Keys is the list of keys that match, as far as it was read, kept up to date by
 * live points. What it asks for is bounded whatever the store holds: more() goes on.
 */
export class Keys {
  readonly state: ReadonlySignal<KeysState>
  private readonly set = signal<KeysState>({ shown: [], loaded: 0, total: 0, loading: true, failure: null, more: 'none', sortedAt: null })
  private all: string[] = []
  private lower: string[] = []
  private known = new Set<string>()
  private fresh = new Set<string>()
  private gone = new Set<string>()
  private filter: Filter = { text: '', kind: '', flag: '', from: '', to: '', sort: '', by: '' }
  /** The text that the list was asked for with. */
  private searched = ''
  private next: Place | null = null
  private abort = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private again: ReturnType<typeof setTimeout> | undefined
  private typed: ReturnType<typeof setTimeout> | undefined
  private started = false

  /** placed is waited for before anything is read: what comes after it, seen and removed are told. */
  constructor(private readonly placed: () => Promise<void> = () => Promise.resolve()) {
    this.state = this.set
  }

  /** narrow applies a filter; it asks the server only where that is needed. */
  narrow(filter: Filter) {
    const before = this.filter
    this.filter = filter
    // A time that goes on with the clock leaves what is shown in its place.
    if (!this.started || asksServer(filter, before)) void this.load(!this.started || asksServer({ ...filter, from: '' }, { ...before, from: '' }) || (filter.from === '') !== (before.from === ''))
    else if (filter.text !== before.text) this.search()
  }

  /** search narrows to the text: here where all keys that may have it are loaded, else at the server. */
  private search() {
    clearTimeout(this.typed)
    const { more, loading } = this.set.peek()
    if (more === 'none' && !loading && this.filter.text.toLowerCase().includes(this.searched.toLowerCase())) this.show()
    else this.typed = setTimeout(() => void this.load(), typing)
  }

  /** load reads the list anew; what is shown stays until all of it is there, unless clear. */
  async load(clear = false) {
    this.started = true
    const { sort, text } = this.filter
    // An order is read from its top: what was below may be elsewhere now.
    const want = clear || sort || text !== this.searched ? opening : Math.max(opening, this.all.length)
    this.searched = text
    this.set.value = { ...this.set.peek(), ...(clear ? { shown: [], loaded: 0 } : {}), loading: true, sortedAt: sort ? Date.now() : null }
    await this.placed()
    await this.read([], want, { sorted: sort !== '' })
  }

  /** more reads on where the list has not ended. */
  async more() {
    if (this.next === null || this.set.peek().loading) return
    await this.read(this.all, this.all.length + page, this.next)
  }

  /** read puts what follows at a place behind keys, until there are as many as wanted. */
  private async read(keys: string[], want: number, from: Place) {
    this.abort.abort()
    clearTimeout(this.again)
    clearTimeout(this.typed)
    const abort = (this.abort = new AbortController())
    const { kind, flag, from: since, to, sort, by } = this.filter
    const text = this.searched
    const narrowed = { ...(kind ? { kind } : {}), ...(flag ? { flag } : {}), ...(since ? { from: since } : {}), ...(to ? { to } : {}), ...(text ? { contains: text } : {}) }
    const known = new Set(keys)
    const onlySeen = flag !== '' || since !== '' || to !== ''
    let place: Place | null = from
    let full = false
    this.set.value = { ...this.set.peek(), loading: true, failure: null }
    for (let asked = 0; place !== null && !full && keys.length < want && asked < looks; ) {
      // An order has no pages: its first are asked for again with those that follow.
      const limit = Math.min(page, place.sorted ? want : want - keys.length)
      const answer = await api.models({
        fields: 'key', limit, ...narrowed,
        ...(place.sorted && sort ? { sort, ...(by ? { variables: glob(by) } : {}) } : {}), ...(!place.sorted && place.after !== undefined ? { after: place.after } : {}),
      }, abort.signal)
      if (abort.signal.aborted) return
      if (!answer.ok) {
        const { status, retryAfter } = answer.failure
        const passes = status === 0 || status === 429 || status >= 500
        this.set.value = { ...this.set.peek(), loading: passes && keys.length > 0, failure: answer.failure }
        if (!passes) return
        // It goes on with the request that failed, not from the start.
        await new Promise((done) => (this.again = setTimeout(done, Math.max(status === 429 ? 1000 : retryWait, retryAfter ?? 0))))
        if (abort.signal.aborted) return
        continue
      }
      asked++
      const { models, next, total } = answer.value
      keys = keys.concat(models.map((m) => m.key).filter((k) => !known.has(k)))
      for (const { key } of models) known.add(key)
      // Behind an order come keys that this process has not seen, which have no flag and no time.
      full = place.sorted && models.length === limit
      place = place.sorted ? (full ? place : onlySeen ? null : { sorted: false }) : next === null ? null : { sorted: false, after: next }
      this.set.value = { ...this.set.peek(), total, failure: null }
    }
    const ended = place === null ? 'none' : place.sorted && keys.length >= page ? 'hidden' : 'follow'
    this.next = ended === 'follow' ? place : null
    this.replace(keys)
    this.set.value = { ...this.set.peek(), loading: false, failure: null, more: ended }
    this.show()
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
    const { sort } = this.filter
    const whole = this.set.peek().more === 'none'
    const last = this.all[this.all.length - 1] ?? ''
    // What is not in a list that goes on is mostly what follows: it comes in its turn.
    const here = (k: string) => whole || sort === 'newest' || (sort === '' && byteOrder(k, last) < 0)
    const fresh = [...this.fresh].filter((k) => !this.known.has(k) && here(k)).sort(byteOrder)
    const before = this.all.length
    this.fresh.clear()
    if (fresh.length === 0 && this.gone.size === 0) return
    let all: string[] = this.all
    if (this.gone.size > 0) all = all.filter((k) => !this.gone.has(k))
    // A sorted list gets what is new at its end, but the newest first, which push out the oldest of many.
    if (fresh.length > 0) all = sort === '' ? merge(all, fresh) : sort === 'newest' ? [...fresh, ...all] : [...all, ...fresh]
    if (!whole && sort === 'newest') all = all.slice(0, Math.max(before, opening))
    this.gone.clear()
    this.replace(all)
    // A key that comes into or leaves a filtered list was and is in the store.
    const filtered = this.filter.kind !== '' || this.filter.flag !== '' || this.filter.from !== ''
    this.set.value = { ...this.set.peek(), total: this.set.peek().total + (filtered || !whole ? 0 : all.length - before) }
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
