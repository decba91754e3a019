import type { Row } from '../api/types.ts'
import { decimals, estimate, fixed } from '../format.ts'

/**
 * forestRange covers the 95 % intervals of all lines, and 0 where it is near;
 * null without any. With fence it leaves out what lies far outside of the middle
 * half of the lines, so that a few far ones do not make dots of all others.
 */
export function forestRange(rows: readonly Row[], fence = false): [number, number] | null {
  const ends = (q: 'q2.5' | 'q97.5') => sorted(rows.map((r) => r[q]))
  const [lows, highs] = [ends('q2.5'), ends('q97.5')]
  let lo = Math.min(lows[0] ?? Infinity, highs[0] ?? Infinity)
  let hi = Math.max(lows.at(-1) ?? -Infinity, highs.at(-1) ?? -Infinity)
  if (!(hi >= lo)) return null
  const [left, right] = [lows[lows.length >> 2], highs[highs.length - 1 - (highs.length >> 2)]]
  if (fence && left !== undefined && right !== undefined && right > left) {
    lo = Math.max(lo, left - (right - left))
    hi = Math.min(hi, right + (right - left))
  }
  const width = hi - lo || Math.abs(hi) || 1
  if (lo > 0 && lo < width * 0.5) lo = 0
  if (hi < 0 && -hi < width * 0.5) hi = 0
  return [lo - width * 0.03, hi + width * 0.03]
}

const sorted = (values: readonly (number | null)[]) => values.filter((v): v is number => v !== null && Number.isFinite(v)).sort((a, b) => a - b)

/** Times the usual width and spread that the interval of a line may have until it says too little to be drawn among the others. */
const vague = 4

/**
 * tooWide is the width above which a 95 % interval says nothing beside those of the others: some
 * times their usual width and the spread of their medians. Infinity while there are too few to tell.
 */
export function tooWide(rows: readonly Row[]): number {
  const widths = sorted(rows.map(widthOf))
  const medians = sorted(rows.map((r) => r.median))
  if (widths.length < 4 || medians.length < 4) return Infinity
  const spread = medians[medians.length - 1 - (medians.length >> 2)]! - medians[medians.length >> 2]!
  return vague * (widths[(widths.length - 1) >> 1]! + spread) || Infinity
}

/** widthOf is that of a row's 95 % interval, null where it has none. */
export const widthOf = (r: Row) => (r['q2.5'] === null || r['q97.5'] === null ? null : r['q97.5'] - r['q2.5'])

/** Pixels that a median may be rounded by until its label and its ring are seen to disagree. */
const seen = 4

/**
 * figuresOf writes a line's median and interval with the digits that the row supports; the median with more where
 * rounding would put it elsewhere than its ring, a pixel being so wide: of a line that knows little.
 */
export function figuresOf(row: Row, pixel: number): { median: string; interval: string } {
  const { median } = row
  let text = estimate(median, row)
  if (median !== null && pixel > 0) {
    const off = (places: number) => Math.abs(Math.round(median * 10 ** places) / 10 ** places - median) > seen * pixel
    const own = decimals(row.mean ?? median, row.sd, row.mcse_mean)
    let places = own
    while (places < own + 12 && off(places)) places++
    if (places > own) text = fixed(median, places)
  }
  return {
    median: text,
    interval: `[${estimate(row['q2.5'], row)}, ${estimate(row['q97.5'], row)}]`,
  }
}
