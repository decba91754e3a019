import type { Row, ObservedRow } from '../api/types.ts'

/** Spot is an observed row at its place on the axis: rows of a shard side by side, or in the order of time. */
export interface Spot {
  x: number
  row: ObservedRow
}

/** spotsOf places rows one after the other; marks has where each shard begins. */
export function spotsOf(rows: readonly ObservedRow[]): { spots: Spot[]; shards: { x: number; t: number; time: string }[] } {
  const shards: { x: number; t: number; time: string }[] = []
  const spots = rows.map((row, x) => {
    if (shards[shards.length - 1]?.t !== row.t) shards.push({ x, t: row.t, time: row.time })
    return { x, row }
  })
  return { spots, shards }
}

/** Counted is how many rows lie within an interval that should hold a share of them. */
export interface Counted {
  nominal: number
  inside: number
  rows: number
}

const intervals = [[0.5, 'q25', 'q75'], [0.8, 'q10', 'q90'], [0.95, 'q2.5', 'q97.5']] as const

/** within counts rows inside their intervals; an interval that is not known counts nowhere. */
export function within(rows: readonly ObservedRow[]): Counted[] {
  return intervals.map(([nominal, low, high]) => {
    const known = rows.filter((r) => r.observed !== null && r[low] !== null && r[high] !== null)
    return { nominal, rows: known.length, inside: known.filter((r) => r.observed! >= r[low]! && r.observed! <= r[high]!).length }
  })
}

/** side says where a row lies: within its 95 % interval, outside, or beyond what can be chance. */
export function side(r: ObservedRow): 'inside' | 'outside' | 'outlier' {
  if (r.outlier) return 'outlier'
  return r.observed !== null && ((r['q2.5'] !== null && r.observed < r['q2.5']) || (r['q97.5'] !== null && r.observed > r['q97.5'])) ? 'outside' : 'inside'
}

/** spreadOf is what the digits of an observed row are decided by. */
export function spreadOf(r: ObservedRow): Pick<Row, 'mean' | 'sd' | 'mcse_mean'> {
  const sd = r['q97.5'] !== null && r['q2.5'] !== null ? (r['q97.5'] - r['q2.5']) / 3.92 : null
  return { mean: r.mean, sd, mcse_mean: null }
}
