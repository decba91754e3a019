import type { CalibrationWindow } from '../api/types.ts'
import { binomialBand } from '../charts/binomial.ts'

/** Classes of transforms that a window is told in: as many of the forty bins in each. */
export const classes = 10

/** Cell is a class of a window: how many rows it has for each that it should have, and whether chance explains it. */
export interface Cell {
  rows: number
  ratio: number
  off: 'few' | 'many' | null
}

/** cellsOf are the classes of a window, from the lowest transforms on; none without a row. */
export function cellsOf(pit: readonly number[]): Cell[] {
  const size = pit.length / classes
  const counts = Array.from({ length: classes }, (_, k) => pit.slice(k * size, (k + 1) * size).reduce((a, b) => a + b, 0))
  const rows = counts.reduce((a, b) => a + b, 0)
  if (rows === 0) return []
  const [low, high] = binomialBand(rows, 1 / classes, 0.99)
  return counts.map((n) => ({ rows: n, ratio: (n * classes) / rows, off: n < low ? 'few' : n > high ? 'many' : null }))
}

/** drift says in a sentence how the coverage of the newest window compares with that of the oldest. */
export function drift(windows: readonly CalibrationWindow[]): string {
  const at95 = windows.flatMap((w) => w.coverage.filter((c) => c.nominal === 0.95))
  const off = at95.map((c) => (c.share < c.low ? 'narrow' : c.share > c.high ? 'wide' : ''))
  const newest = off[off.length - 1]
  if (off.every((o) => o === '')) return 'All along, about as many values fell into the intervals as should.'
  if (newest === '') return 'Not all along, but in the newest shards as many values fall into the intervals as should.'
  return newest === 'narrow' ? 'In the newest shards too few values fall into the intervals: the model is more sure than it should be.' : 'In the newest shards more values fall into the intervals than should: the model is less sure than it could be.'
}
