import { expect, test } from 'vitest'
import type { Row } from '../api/types.ts'
import { figuresOf, forestRange, tooWide } from './forestlines.ts'

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

test('keys that know nothing are wider than is too wide, and do not decide what that is', () => {
  const line = (middle: number, half: number) => ({ 'q2.5': middle - half, median: middle, 'q97.5': middle + half }) as Row
  const known = Array.from({ length: 30 }, (_, i) => line(i / 10, 1 + i / 30))
  const limit = tooWide([...known, ...Array.from({ length: 12 }, (_, i) => line(i - 6, 300))])
  expect(limit).toBeGreaterThan(4)
  expect(limit).toBeLessThan(30)
  // Some that are far from the others, but know where they are, stay.
  expect(tooWide([...known, line(500, 1)])).toBeGreaterThan(2)
  expect(tooWide(known.slice(0, 3))).toBe(Infinity)
  expect(tooWide(Array.from({ length: 9 }, () => line(1, 0)))).toBe(Infinity)
})

test('the label tells where the ring is, also of a line that knows little', () => {
  const row = { median: 38.2, mean: 38.2, sd: 2300, mcse_mean: null, 'q2.5': -4600, 'q97.5': 4700 } as Row
  expect(figuresOf(row, 5).median).toBe('40')
  expect(figuresOf(row, 0.3).median).toBe('38')
  expect(figuresOf(row, 5).interval).toBe('[−4600, 4700]')
  expect(figuresOf({ ...row, sd: 0.0123 }, 0.3).median).toBe('38.200')
  // Where nobody sees it, the digits are those that the row supports.
  expect(figuresOf({ ...row, median: 0.0937, mean: 0.0937, sd: 0.047 }, 0.0004).median).toBe('0.094')
  expect(figuresOf({ ...row, median: null }, 5).median).toBe('–')
})
