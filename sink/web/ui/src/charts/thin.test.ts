import { describe, expect, it } from 'vitest'
import { bandRange, rolling, thin } from './thin.ts'
import { tickText, ticks } from './ticks.ts'

describe('ticks', () => {
  it('are round, within the range, and written alike', () => {
    expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    expect(tickText(ticks(-0.1, 0.31, 5))).toEqual(['−0.1', '0.0', '0.1', '0.2', '0.3'])
    expect(ticks(3, 3, 5)).toEqual([3])
    expect(ticks(NaN, 3, 5)).toEqual([])
    for (const [lo, hi] of [
      [-1e-7, 3e-7],
      [1e8, 5e9],
      [-33.7, 81.2],
    ] as const) {
      const t = ticks(lo, hi, 6)
      expect(t.length).toBeGreaterThan(2)
      expect(t.length).toBeLessThan(14)
      for (const v of t) expect(v >= lo && v <= hi).toBe(true)
      expect(new Set(tickText(t)).size).toBe(t.length)
    }
  })
})

describe('thinning', () => {
  it('keeps to the limit, the order and the last point', () => {
    for (const n of [0, 1, 5, 1999, 2001, 10000]) {
      const kept = thin(0, n, 2000)
      expect(kept.length).toBeLessThanOrEqual(2000)
      expect(new Set(kept).size).toBe(kept.length)
      if (n > 0) expect(kept[kept.length - 1]).toBe(n - 1)
      if (n <= 1998) expect(kept).toHaveLength(n)
    }
  })
  it('draws the same points after one is appended or the oldest is dropped', () => {
    const before = thin(0, 9000, 2000).slice(0, -1)
    expect(thin(0, 9001, 2000).slice(0, before.length)).toEqual(before)
    const dropped = thin(0, 9000, 2000, 1).slice(0, -1)
    expect(dropped.slice(0, 50).map((i) => i + 1)).toEqual(before.slice(1, 51))
  })
  it('scales to the newer part of a band', () => {
    const n = 100
    const low = Array.from({ length: n }, (_, i) => (i === 0 ? -1000 : -1))
    const median = Array.from({ length: n }, () => 0)
    const high = low.map((v) => -v)
    const [lo, hi] = bandRange(low, median, high, 0.9)!
    expect(lo).toBeGreaterThan(-1.2)
    expect(hi).toBeLessThan(1.2)
    expect(bandRange(low, median, high, 1)![0]).toBeLessThan(-1000)
    expect(bandRange([], [], [], 0.9)).toBeNull()
    expect(bandRange([null], [null], [null], 1)).toBeNull()
    expect(bandRange([4], [4], [4], 1)).toEqual([3.8, 4.2])
  })
  it('rolls a weighted mean over what is there', () => {
    expect(rolling([null, 1, 3, null, 5], [0, 1, 3, 0, 1], 2)).toEqual([null, 1, 2.5, 3, 5])
  })
})
