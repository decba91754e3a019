import { batch, signal, type Signal } from '@preact/signals'
import { api } from '../api/client.ts'
import type { ModelEntry, Point, Row } from '../api/types.ts'
import { perFrame } from '../frame.ts'
import { sensible } from '../key/rows.ts'
import { First, glob } from './variables.ts'

/** One point of a sparkline. */
export interface Spark {
  t: number
  low: number
  q25: number
  median: number
  q75: number
  high: number
}

/** Detail is what a row shows beside its key. */
export interface Detail {
  readonly key: string
  entry: ModelEntry | null
  /** Of the variable chosen; null: the model has none of that name. */
  row: Row | null
  spark: Spark[]
  /** Grows with each change; a row that reads it is rendered anew. */
  readonly rev: Signal<number>
  /** The list has no such key any more. */
  gone: boolean
  /** What it was asked for with, '' before. */
  asked: string
  sparkAsked: boolean
  /** Live points changed it since it was asked for. */
  changed: boolean
}

const kept = 3000
const batchKeys = 100
const batchBytes = 12_000 // of the address; servers bound their headers
const sparkPoints = 32
const parallel = 4
const settle = 60 // ms without scrolling before details are asked for
const refresh = 5000 // ms between looks at rows that live points changed
const whole = 12 // keys asked for with all variables at once

/** Details keeps what rows show: asked for in batches for rows in view, patched by live points. */
export class Details {
  private readonly cache = new Map<string, Detail>()
  private readonly first = new First()
  private view: readonly string[] = []
  private variable = ''
  private dirty = new Set<Detail>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private ticking: ReturnType<typeof setInterval> | undefined
  private asking = false
  private sparks = 0
  private pausedUntil = 0
  private readonly draw = perFrame(() => {
    const all = this.dirty
    this.dirty = new Set()
    batch(() => {
      for (const d of all) d.rev.value++
    })
  })
  /** globs of the variables that live points should have; changes as models are met. */
  readonly globs = signal('**')

  /** start begins to refresh what changed; the function it returns ends it. */
  start(): () => void {
    this.ticking = setInterval(() => {
      if (!document.hidden) this.fetch()
    }, refresh)
    return () => clearInterval(this.ticking)
  }

  /** choose sets the variable: a name or glob, '' for the first of each model. */
  choose(variable: string) {
    if (variable === this.variable) return
    this.variable = variable
    this.forget()
  }

  /** forget asks for everything anew, after a reset of the stream. */
  forget() {
    for (const d of this.cache.values()) {
      Object.assign(d, { row: null, spark: [], asked: '', sparkAsked: false, changed: false })
      this.dirty.add(d)
    }
    this.globs.value = this.wanted()
    this.draw()
    this.fetch()
  }

  /** detail of a key, empty at first; it is filled when the key is in view. */
  detail(key: string): Detail {
    let d = this.cache.get(key)
    if (!d) {
      d = { key, entry: null, row: null, spark: [], rev: signal(0), gone: false, asked: '', sparkAsked: false, changed: false }
      this.cache.set(key, d)
      if (this.cache.size > kept) this.evict()
    }
    return d
  }

  /** see tells which keys are in view. */
  see(keys: readonly string[]) {
    this.view = keys
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.fetch(), settle)
  }

  /** patch takes live points, oldest first. */
  patch(points: readonly Point[]) {
    for (const p of points) {
      const d = this.cache.get(p.key)
      if (!d?.entry) continue
      if (p.offset <= (d.entry.offset ?? -1) && p.partition === d.entry.partition) continue // known already
      d.entry = { ...d.entry, kind: p.kind, t: p.t, n: p.n, offset: p.offset, partition: p.partition, time: p.time, flags: p.flags, owned: true }
      d.changed = true
      d.gone = false
      const row = this.pick(d, p.posterior)
      if (row) {
        d.row = row
        this.push(d, p.t, row)
      }
      this.dirty.add(d)
    }
    if (this.dirty.size > 0) this.draw()
  }

  removed(key: string) {
    const d = this.cache.get(key)
    if (!d) return
    d.gone = true
    this.dirty.add(d)
    this.draw()
  }

  private pick(d: Detail, rows: readonly Row[]): Row | null {
    // With several asked for, a model keeps the one it showed.
    const first = d.row?.variable ?? sensible(rows.map((r) => r.variable))
    return rows.find((r) => r.variable === first) ?? rows[0] ?? null
  }

  private push(d: Detail, t: number, r: Row) {
    const last = d.spark.at(-1)
    if (last && last.t >= t) return
    const s = spark(t, r)
    if (s) d.spark = [...d.spark, s].slice(-sparkPoints)
  }

  private wanted(): string {
    return (this.variable ? glob(this.variable) : this.first.globs()) || '**'
  }

  private evict() {
    const seen = new Set(this.view)
    for (const [key] of this.cache) {
      if (this.cache.size <= kept * 0.9) break
      if (!seen.has(key)) this.cache.delete(key)
    }
  }

  /** fetch asks for rows in view that are not known or have changed, one batch after the other. */
  private async fetch() {
    if (this.asking || Date.now() < this.pausedUntil) return
    this.asking = true
    try {
      for (;;) {
        const wanted = this.wanted()
        const all = this.view.map((k) => this.detail(k)).filter((d) => d.asked === '')
        const some = all.length > 0 ? all : this.view.map((k) => this.detail(k)).filter((d) => d.changed)
        if (some.length === 0) break
        const list = some.slice(0, addressed(some.map((d) => d.key), wanted === '**' ? whole : batchKeys).length)
        if (!(await this.ask(list, wanted))) return
      }
    } finally {
      this.asking = false
    }
    this.fetchSparks()
  }

  private async ask(list: readonly Detail[], wanted: string): Promise<boolean> {
    for (const d of list) {
      d.changed = false
      d.asked = wanted
    }
    const answer = await api.models({ key: list.map((d) => d.key), variables: wanted })
    if (!answer.ok) {
      for (const d of list) d.asked = ''
      this.pausedUntil = Date.now() + Math.max(2000, answer.failure.retryAfter ?? 0)
      this.timer = setTimeout(() => void this.fetch(), this.pausedUntil - Date.now() + 50)
      return false
    }
    if (this.wanted() !== wanted && this.variable) return true // chosen anew meanwhile: those are asked for again
    const entries = new Map(answer.value.models.map((m) => [m.key, m]))
    const lacking: Detail[] = []
    for (const d of list) {
      const m = entries.get(d.key)
      d.gone = !m
      if (m && (d.entry?.offset === undefined || d.entry.partition !== m.partition || (m.offset ?? 0) >= d.entry.offset)) {
        d.entry = m
        d.row = this.pick(d, m.posterior ?? []) ?? null
        if (d.row && m.t !== undefined) this.push(d, m.t, d.row)
      } else if (m && d.entry) {
        // The checkpoint is behind the live points; what only it has is taken.
        d.entry = { ...d.entry, ...(m.coverage95 === undefined ? {} : { coverage95: m.coverage95 }), ...(m.scored_rows === undefined ? {} : { scored_rows: m.scored_rows }) }
      }
      if (m && !d.row && !m.damaged && !this.variable && wanted !== '**') lacking.push(d)
      else if (m && wanted === '**') this.first.learn(m.posterior ?? [])
      this.dirty.add(d)
    }
    this.globs.value = this.wanted()
    this.draw()
    // A model of a form not met yet has none of the first variables known.
    for (let i = 0; i < lacking.length; i += whole) if (!(await this.ask(lacking.slice(i, i + whole), '**'))) return false
    return true
  }

  private fetchSparks() {
    if (Date.now() < this.pausedUntil) return
    for (const key of this.view) {
      if (this.sparks >= parallel) return
      const d = this.detail(key)
      if (d.sparkAsked || !d.row || d.entry?.owned === false) continue
      d.sparkAsked = true
      this.sparks++
      void this.fetchSpark(d, d.row.variable).then(() => {
        this.sparks--
        this.fetchSparks()
      })
    }
  }

  private async fetchSpark(d: Detail, variable: string) {
    const answer = await api.history(d.key, { limit: sparkPoints, variables: glob(variable) })
    if (!answer.ok) {
      if (answer.failure.status === 429 || answer.failure.status === 0 || answer.failure.status === 503) {
        d.sparkAsked = false
        this.pausedUntil = Date.now() + Math.max(2000, answer.failure.retryAfter ?? 0)
        setTimeout(() => this.fetchSparks(), this.pausedUntil - Date.now() + 50)
      }
      return
    }
    if (d.row?.variable !== variable) return
    const first = d.spark[0]?.t ?? Infinity
    const old = answer.value.points.flatMap((p) => {
      const row = p.posterior.find((r) => r.variable === variable)
      const s = row && p.t < first ? spark(p.t, row) : null
      return s ? [s] : []
    })
    d.spark = [...old, ...d.spark].slice(-sparkPoints)
    this.dirty.add(d)
    this.draw()
  }
}

function spark(t: number, r: Row): Spark | null {
  const { median, 'q2.5': low, q25, q75, 'q97.5': high } = r
  return median === null || low === null || q25 === null || q75 === null || high === null ? null : { t, low, q25, median, q75, high }
}

/** addressed takes as many keys as one address may name, at most count. */
export function addressed(keys: readonly string[], count = batchKeys): string[] {
  const out: string[] = []
  let size = 0
  for (const key of keys) {
    size += encodeURIComponent(key).length + 5
    if (out.length > 0 && (size > batchBytes || out.length >= count)) break
    out.push(key)
  }
  return out
}
