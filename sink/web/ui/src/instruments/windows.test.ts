import { expect, test } from 'vitest'
import type { CalibrationWindow } from '../api/types.ts'
import { cellsOf, drift } from './windows.ts'

test('classes are four bins each, compared with what chance makes of an even spread', () => {
  const even = cellsOf(Array.from({ length: 40 }, () => 25))
  expect(even.every((c) => c.rows === 100 && c.ratio === 1 && c.off === null)).toBe(true)
  const tails = cellsOf(Array.from({ length: 40 }, (_, i) => (i < 4 ? 100 : 10)))
  expect(tails[0]).toMatchObject({ rows: 400, off: 'many' })
  expect(tails[9]).toMatchObject({ rows: 40, off: 'few' })
  expect(cellsOf(Array.from({ length: 40 }, () => 0))).toEqual([])
})

test('what is said is about the newest shards', () => {
  const window = (share: number) => ({ coverage: [{ nominal: 0.5, share: 0, low: 0.4, high: 0.6 }, { nominal: 0.95, share, low: 0.93, high: 0.97 }] }) as CalibrationWindow
  expect(drift([window(0.95), window(0.94)])).toContain('All along')
  expect(drift([window(0.8), window(0.95)])).toContain('Not all along')
  expect(drift([window(0.95), window(0.8)])).toContain('more sure than it should')
  expect(drift([window(0.95), window(0.99)])).toContain('less sure than it could')
})
