import { effect, signal } from '@preact/signals'
import { api } from '../api/client.ts'
import type { Failure } from '../api/result.ts'
import type { About, History, Point, Posterior, Row } from '../api/types.ts'
import { perFrame } from '../frame.ts'
import { keyStream, type Stream } from '../live.ts'
import { historyLimit, KeyHistory, variableGlob } from './series.ts'

/** Milliseconds between two looks at what events do not bring. */
const posteriorEvery = 3_000
const aboutEvery = 10_000

/**
 * KeyModel is everything that a key's page shows, kept current: the stored
 * posterior, then the history, then events. Close it when the page closes.
 */
export class KeyModel {
  readonly posterior = signal<Posterior | null>(null)
  /** rows is the posterior of now: as stored, replaced by what events brought since. */
  readonly rows = signal<readonly Row[]>([])
  readonly about = signal<About | null>(null)
  readonly aboutFailure = signal<Failure | null>(null)
  readonly failure = signal<Failure | null>(null)
  readonly historyFailure = signal<Failure | null>(null)
  /** Whether this process works on the key's partition; null until it is known. */
  readonly owned = signal<boolean | null>(null)
  /** Whether the history reaches back to the first shard. */
  readonly complete = signal(true)
  readonly dropped = signal<History['dropped']>(undefined)
  readonly deleted = signal(false)
  readonly loaded = signal(false)
  /** Grows with every change of the history, which is changed in place. */
  readonly version = signal(0)
  readonly history = new KeyHistory()
  readonly stream: Stream

  private readonly stop = new AbortController()
  private readonly ends: (() => void)[] = []
  private readonly wanted = new Set<string>()
  private readonly draw = perFrame(() => this.show())

  constructor(readonly key: string) {
    this.stream = keyStream(key, {
      points: (points) => this.took(points),
      deleted: () => (this.deleted.value = true),
      reset: () => {
        this.history.reset()
        void this.loadHistory()
      },
    })
    const stored = this.loadPosterior()
    void this.loadAbout()
    // The history is asked for when events already come, so that nothing falls between; a
    // stream that was lost before its first message could not say where it was.
    let asked = false
    this.ends.push(
      effect(() => {
        if (this.stream.state.value.name !== 'open' && asked) return
        if (this.stream.state.value.name === 'connecting') return
        asked = true
        // How many points are asked for depends on how many variables there are.
        void stored.then(() => this.loadHistory())
      }),
    )
    this.every(posteriorEvery, () => {
      if (this.deleted.peek()) return void this.lookForReturn()
      const p = this.posterior.peek()
      const newest = this.history.newest
      const partly = p !== null && newest !== null && newest.variables > newest.posterior.length && newest.offset > p.source.offset
      // Of rows that wait no event tells.
      const waits = this.about.peek()?.coalesce !== undefined
      if (this.failure.peek() || this.owned.peek() !== true || partly || waits) void this.loadPosterior()
    })
    // It also tells when the partition came to this process or left it.
    this.every(aboutEvery, () => this.deleted.peek() || void this.loadAbout())
  }

  close() {
    this.stop.abort()
    this.stream.close()
    for (const end of this.ends) end()
  }

  /** t, n and time of the newest posterior known. */
  newest(): { t: number; n: number; time: string; offset: number } | null {
    const p = this.posterior.value
    void this.version.value
    const point = this.history.newest
    if (point && (!p || point.offset > p.source.offset)) return point
    return p && { t: p.t, n: p.n, time: p.time, offset: p.source.offset }
  }

  /** want loads the longer history of a variable, once. */
  want(variable: string) {
    if (this.wanted.has(variable) || !this.loaded.peek() || this.owned.peek() === false) return
    this.wanted.add(variable)
    void this.deepen(variable)
  }

  readonly loadPosterior = async () => {
    const answer = await api.model(this.key, this.stop.signal)
    if (this.stop.signal.aborted) return
    if (!answer.ok) {
      if (answer.failure.status === 404 && this.posterior.peek()) this.deleted.value = true
      else this.failure.value = answer.failure
      return
    }
    this.failure.value = null
    if (answer.value === this.posterior.peek()) return
    this.posterior.value = answer.value
    this.deleted.value = false
    this.show()
  }

  readonly loadAbout = async () => {
    const answer = await api.about(this.key, this.stop.signal)
    if (this.stop.signal.aborted) return
    this.aboutFailure.value = answer.ok ? null : answer.failure
    if (!answer.ok) return
    this.about.value = answer.value
    const before = this.owned.peek()
    this.owned.value = answer.value.owned
    // The partition came to this process: from now on it has the past and the events.
    if (before === false && answer.value.owned) void this.loadHistory()
  }

  private async loadHistory() {
    const variables = this.posterior.peek()?.posterior.length ?? 8
    const answer = await api.history(this.key, { limit: historyLimit(variables) }, this.stop.signal)
    if (this.stop.signal.aborted) return
    this.loaded.value = true
    if (!answer.ok) {
      this.historyFailure.value = answer.failure
      this.history.load([])
      return
    }
    this.historyFailure.value = null
    this.owned.value = answer.value.owned
    this.complete.value = answer.value.complete
    this.dropped.value = answer.value.dropped
    this.history.load(answer.value.points)
    this.wanted.clear()
    this.draw()
  }

  private async deepen(variable: string) {
    const answer = await api.history(this.key, { limit: 10_000, variables: variableGlob(variable) }, this.stop.signal)
    if (!answer.ok || this.stop.signal.aborted) return
    this.history.deepen(variable, answer.value.points)
    this.draw()
  }

  private took(points: Point[]) {
    this.history.append(points)
    // Events come only from the process that owns the partition.
    if (this.owned.peek() === false) this.owned.value = true
    if (this.deleted.peek()) this.returned()
    if (this.failure.peek()) void this.loadPosterior()
    // A key that was opened before its first checkpoint had no past to read.
    if (this.historyFailure.peek()) void this.loadHistory()
    this.draw()
  }

  /** lookForReturn asks the list, in which a key may be missing: no answer is a failure for the reader to wonder about. */
  private async lookForReturn() {
    const answer = await api.models({ key: [this.key], fields: 'key' }, this.stop.signal)
    if (answer.ok && answer.value.models.length > 0 && this.deleted.peek() && !this.stop.signal.aborted) this.returned()
  }

  /** returned begins anew after a deletion: what was before belongs to another model. */
  private returned() {
    this.deleted.value = false
    this.posterior.value = null
    this.history.reset()
    void this.loadPosterior()
    void this.loadAbout()
    void this.loadHistory()
  }

  /** show merges what events brought into the rows, once per frame. */
  private show() {
    this.version.value++
    const p = this.posterior.peek()
    const point = this.history.newest
    if (!p) {
      if (point) this.rows.value = point.posterior
      return
    }
    if (!point || point.offset <= p.source.offset) {
      this.rows.value = p.posterior
      return
    }
    const fresh = new Map(point.posterior.map((r) => [r.variable, r]))
    const rows = p.posterior.map((r) => {
      const now = fresh.get(r.variable)
      fresh.delete(r.variable)
      return now ?? r
    })
    // A group that is new since the last look at the store comes at the end.
    rows.push(...fresh.values())
    this.rows.value = rows
  }

  private every(milliseconds: number, work: () => void) {
    const timer = setInterval(() => document.hidden || work(), milliseconds)
    this.ends.push(() => clearInterval(timer))
  }
}
