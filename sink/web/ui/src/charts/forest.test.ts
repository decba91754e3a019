import { expect, test } from 'vitest'
import type { Row } from '../api/types.ts'
import { forestRange } from './Forest.tsx'

const row = (low: number | null, high: number | null) => ({ 'q2.5': low, 'q97.5': high }) as Row

test('the range covers all intervals, and 0 where it is near', () => {
  const [lo, hi] = forestRange([row(1, 3), row(2, 5)])!
  expect(lo).toBeLessThanOrEqual(0)
  expect(hi).toBeGreaterThanOrEqual(5)
  expect(forestRange([row(100, 101)])![0]).toBeGreaterThan(99)
  expect(forestRange([row(null, null)])).toBeNull()
  expect(forestRange([])).toBeNull()
})

test('with a fence a few wide intervals do not make dots of the others; without one they are covered', () => {
  const lines = [...Array.from({ length: 30 }, (_, i) => row(-1 - i / 30, 1 + i / 30)), row(-500, 400)]
  const [lo, hi] = forestRange(lines, true)!
  expect(hi - lo).toBeLessThan(20)
  expect(lo).toBeLessThan(-2)
  expect(hi).toBeGreaterThan(2)
  expect(forestRange(lines)![0]).toBeLessThan(-500)
})

test('lines that differ little have a fence around all of them', () => {
  const lines = Array.from({ length: 9 }, (_, i) => row(10 + i, 12 + i))
  const [lo, hi] = forestRange(lines, true)!
  expect(lo).toBeLessThanOrEqual(10)
  expect(hi).toBeGreaterThanOrEqual(20)
})
