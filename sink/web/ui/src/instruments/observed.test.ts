import { expect, test } from 'vitest'
import type { ObservedRow } from '../api/types.ts'
import { side, spotsOf, within } from './observed.ts'

const row = (t: number, observed: number | null, more: Partial<ObservedRow> = {}): ObservedRow => ({
  t, offset: t, time: '2001-01-01T00:00:00Z', row: 0, observed, mean: 0, 'q2.5': -2, q10: -1.3, q25: -0.7, q75: 0.7, q90: 1.3, 'q97.5': 2, pit: 0.5, outlier: false, ...more,
})

test('rows stand one after the other and shards where they begin', () => {
  const { spots, shards } = spotsOf([row(4, 1), row(4, 2), row(6, 3)])
  expect(spots.map((s) => s.x)).toEqual([0, 1, 2])
  expect(shards.map((s) => [s.x, s.t])).toEqual([[0, 4], [2, 6]])
})

test('rows are counted within the intervals that are known', () => {
  const rows = [row(1, 0), row(1, 1), row(1, 1.5), row(1, 9), row(1, 1, { q10: null, q90: null, q25: null, q75: null })]
  expect(within(rows)).toEqual([{ nominal: 0.5, rows: 4, inside: 1 }, { nominal: 0.8, rows: 4, inside: 2 }, { nominal: 0.95, rows: 5, inside: 4 }])
})

test('a row is inside, outside, or beyond chance', () => {
  expect(side(row(1, 2))).toBe('inside')
  expect(side(row(1, -2.1))).toBe('outside')
  expect(side(row(1, 99, { outlier: true }))).toBe('outlier')
})
