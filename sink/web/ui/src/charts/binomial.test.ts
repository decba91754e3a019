import { describe, expect, it } from 'vitest'
import { binomialBand, pitHistogram } from './binomial.ts'

/** cumulative sums the masses up to k by the definition: slow, independent of the code under test. */
function cumulative(n: number, p: number, k: number): number {
  let sum = 0
  for (let i = 0; i <= k; i++) {
    let log = 0
    for (let j = 1; j <= i; j++) log += Math.log((n - i + j) / j)
    sum += Math.exp(log + i * Math.log(p) + (n - i) * Math.log1p(-p))
  }
  return sum
}

describe('binomial band', () => {
  it.each([
    [1, 0.5, 0.99],
    [10, 0.1, 0.99],
    [40, 0.025, 0.99],
    [500, 0.025, 0.99],
    [500, 0.1, 0.95],
    [300, 0.97, 0.99],
  ])('of %d trials of %d holds %d and no less', (n, p, level) => {
    const [low, high] = binomialBand(n, p, level)
    const tail = (1 - level) / 2
    expect(low === 0 ? 0 : cumulative(n, p, low - 1)).toBeLessThanOrEqual(tail + 1e-12)
    expect(cumulative(n, p, low)).toBeGreaterThan(tail)
    expect(1 - cumulative(n, p, high)).toBeLessThanOrEqual(tail + 1e-12)
    if (high > 0) expect(1 - cumulative(n, p, high - 1)).toBeGreaterThan(tail)
  })
  it('is the normal one for a great many trials', () => {
    const [n, p] = [4e8, 1 / 40]
    const half = 2.5758293035489 * Math.sqrt(n * p * (1 - p))
    const [low, high] = binomialBand(n, p, 0.99)
    expect(Math.abs(low - (n * p - half))).toBeLessThan(3)
    expect(Math.abs(high - (n * p + half))).toBeLessThan(3)
  })
  it('is narrow where nothing varies', () => {
    expect(binomialBand(0, 0.5, 0.99)).toEqual([0, 0])
    expect(binomialBand(7, 0, 0.99)).toEqual([0, 0])
    expect(binomialBand(7, 1, 0.99)).toEqual([7, 7])
  })
})

describe('PIT histogram', () => {
  it('merges bins that expect few rows and keeps every row', () => {
    const few = pitHistogram(Array.from({ length: 40 }, (_, i) => i % 3))!
    expect(few.counts).toHaveLength(10)
    expect(few.counts.reduce((a, b) => a + b)).toBe(few.rows)
    expect(pitHistogram(Array.from({ length: 40 }, () => 10))!.counts).toHaveLength(40)
    expect(pitHistogram(Array.from({ length: 40 }, () => 0))).toBeNull()
  })
  it('counts what lies outside', () => {
    const even = Array.from({ length: 40 }, () => 100)
    expect(pitHistogram(even)!.outside).toBe(0)
    even[0] = 300
    expect(pitHistogram(even)!.outside).toBe(1)
  })
})
