import type { Point, Row, Score, Flag } from '../api/types.ts'

/** Moment is a shard of a key: what its history says of it beside the variables. */
export interface Moment {
  offset: number
  t: number
  n: number
  /** Time of the input record in seconds since the epoch. */
  time: number
  score: Score
  flags: Flag[]
}

/** Track is one variable over the shards, in order of offsets: rows[i] belongs to moments[i]. */
export interface Track {
  moments: Moment[]
  rows: Row[]
}

/** Points that are kept: of every variable, and of one that was looked at. */
const coarse = 2_000
const deep = 10_000

/**
 * KeyHistory is what the page knows of a key's past: answers of the history,
 * then events. Points are told apart by their offset, so a point that comes both ways is
 * there once, and points that come before the history's answer are not lost.
 */
export class KeyHistory {
  /** All shards known, oldest first. */
  moments: Moment[] = []
  newest: Point | null = null
  private readonly tracks = new Map<string, Track>()
  private readonly deepened = new Set<string>()
  private waiting: Point[] | null = []

  /** load takes the history of all variables; points that came meanwhile follow it. */
  load(points: readonly Point[]) {
    this.take(points)
    const waiting = this.waiting ?? []
    this.waiting = null
    this.append(waiting)
  }

  /** deepen takes a longer history of one variable, the only one in the points. */
  deepen(variable: string, points: readonly Point[]) {
    this.deepened.add(variable)
    this.take(points, variable)
  }

  /** append takes events. Before the first load they wait. */
  append(points: readonly Point[]) {
    if (this.waiting) {
      this.waiting.push(...points)
      return
    }
    this.take(points)
  }

  /** reset forgets everything and waits for a load again: the server says that events were lost. */
  reset() {
    this.moments = []
    this.newest = null
    this.tracks.clear()
    this.deepened.clear()
    this.waiting = []
  }

  /** track is one variable's past; undefined where none is kept. */
  track(variable: string): Track | undefined {
    return this.tracks.get(variable)
  }

  /** isDeep says whether the longer history of the variable was loaded. */
  isDeep(variable: string): boolean {
    return this.deepened.has(variable)
  }

  private take(points: readonly Point[], only?: string) {
    if (points.length === 0) return
    const moments = points.map(momentOf)
    const last = this.moments[this.moments.length - 1]
    if (last && moments[0]!.offset > last.offset) {
      this.moments.push(...moments)
      if (this.moments.length > deep * 1.1) this.moments.splice(0, this.moments.length - deep)
    } else {
      this.moments = merge(this.moments, moments, (m) => m.offset).slice(-deep)
    }
    const known = new Map<string, Track>()
    points.forEach((p, i) => {
      for (const row of p.posterior) {
        if (only !== undefined && row.variable !== only) continue
        let track = known.get(row.variable)
        if (!track) known.set(row.variable, (track = { moments: [], rows: [] }))
        track.moments.push(moments[i]!)
        track.rows.push(row)
      }
      if (only === undefined && (this.newest === null || p.offset > this.newest.offset)) this.newest = p
    })
    for (const [variable, added] of known) {
      const limit = this.deepened.has(variable) ? deep : coarse
      this.tracks.set(variable, joined(this.tracks.get(variable), added, limit))
    }
  }
}

function momentOf(p: Point): Moment {
  return { offset: p.offset, t: p.t, n: p.n, time: Date.parse(p.time) / 1000, score: p.score, flags: p.flags }
}

function joined(old: Track | undefined, added: Track, limit: number): Track {
  if (!old) return { moments: added.moments.slice(-limit), rows: added.rows.slice(-limit) }
  const last = old.moments[old.moments.length - 1]
  if (!last || added.moments[0]!.offset > last.offset) {
    // The usual case, an event: appended in place, the oldest dropped in bulk.
    old.moments.push(...added.moments)
    old.rows.push(...added.rows)
    if (old.moments.length > limit * 1.1) {
      old.moments.splice(0, old.moments.length - limit)
      old.rows.splice(0, old.rows.length - limit)
    }
    return old
  }
  const pairs = (t: Track) => t.moments.map((moment, i) => ({ moment, row: t.rows[i]! }))
  const all = merge(pairs(old), pairs(added), (p) => p.moment.offset).slice(-limit)
  return { moments: all.map((p) => p.moment), rows: all.map((p) => p.row) }
}

/** merge is the union in order of offsets; of two with one offset the added one. */
export function merge<T>(old: readonly T[], added: readonly T[], offset: (v: T) => number): T[] {
  const out = new Map<number, T>()
  for (const v of old) out.set(offset(v), v)
  for (const v of added) out.set(offset(v), v)
  return [...out.values()].sort((a, b) => offset(a) - offset(b))
}

/**
 * variableGlob is a glob that the variable's own name matches: commas part
 * globs, so `*` stands in for one. Others may match too; take only the rows of that name.
 */
export function variableGlob(variable: string): string {
  return variable.replace(/,/g, '*')
}

/** historyLimit is how many points of all variables to ask for: about 12,000 rows in all. */
export function historyLimit(variables: number): number {
  return Math.max(50, Math.min(coarse, Math.floor(12_000 / Math.max(1, Math.min(64, variables)))))
}
