import { describe, expect, it } from 'vitest'
import { verdict } from './verdict.ts'

const at = (nominal: number, share: number, half = 0.02) => ({ nominal, share, low: nominal - half, high: Math.min(1, nominal + half) })
const four = (a: number, b: number, c: number, d: number, half = 0.002) => [at(0.5, a, half), at(0.8, b, half), at(0.9, c, half), at(0.95, d, half)]
const flat = Array.from({ length: 40 }, () => 100)
/** change is flat with some bins changed. */
const change = (bins: Record<number, number>) => flat.map((n, i) => bins[i] ?? n)

describe('the verdict on calibration', () => {
  it('is none without a row', () => expect(verdict({ coverage: [], pit: flat.map(() => 0) })).toContain('Too little'))
  it('is good when all agree', () => expect(verdict({ coverage: [at(0.5, 0.51), at(0.95, 0.94)], pit: flat })).toMatch(/^As it should be/))

  // Each pattern of the four intervals: what is said, and what must not be.
  const patterns: [string, number[], RegExp, RegExp][] = [
    ['all narrow', [0.4, 0.7, 0.8, 0.9], /^Too sure of itself, every interval is too narrow/, /wide/],
    ['all wide', [0.6, 0.88, 0.96, 0.99], /^Too cautious, every interval is too wide/, /narrow|sure/],
    ['wide inside, narrow at 95 %', [0.66, 0.89, 0.93, 0.945], /^Too wide in the middle and too narrow at the ends.*66\.0.*89\.0.*93\.0.*94\.5/, /sure of itself|cautious/],
    ['narrow inside, wide at the ends', [0.4, 0.75, 0.93, 0.98], /^Too narrow in the middle and too wide at the ends/, /sure of itself|cautious/],
    ['mixed', [0.6, 0.7, 0.95, 0.95], /^Some intervals are too narrow and others too wide/, /middle/],
    ['wide inside, 95 % holds', [0.63, 0.85, 0.9, 0.95], /^Too wide in the middle, while the outer intervals hold/, /narrow/],
    ['narrow inside, 95 % holds', [0.4, 0.7, 0.9, 0.95], /^Too narrow in the middle, while the outer intervals hold/, /wide/],
    ['narrow at the ends', [0.5, 0.8, 0.85, 0.9], /^Too narrow at the ends, while the inner intervals hold/, /wide|sure of itself/],
    ['wide at the ends', [0.5, 0.8, 0.93, 0.98], /^Too wide at the ends, while the inner intervals hold/, /narrow|cautious/],
    ['wide at 80 % alone', [0.5, 0.85, 0.9, 0.95], /^Too wide at 80.%/, /narrow/],
  ]
  it.each(patterns)('%s', (_, [a, b, c, d], says, not) => {
    const text = verdict({ coverage: four(a!, b!, c!, d!), pit: flat })
    expect(text).toMatch(says)
    expect(text).not.toMatch(not)
  })

  it('says on which side the rows lie', () => {
    const of = (bins: Record<number, number>) => verdict({ coverage: [at(0.95, 0.95)], pit: change(bins) })
    expect(of({ 39: 200 })).toMatch(/Heavy right tail: 4\.9.% of the rows lay above/)
    expect(of({ 0: 200 })).toMatch(/Heavy left tail.*below/)
    expect(of({ 0: 200, 39: 200 })).toMatch(/Heavy tails on both sides/)
    expect(of({ 0: 10 })).toMatch(/Hardly a row lay below/)
    expect(of({ 39: 10 })).toMatch(/Hardly a row lay above/)
    expect(of(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i + 20, 130])))).toMatch(/lean: 56\.5.% .* above the middle/)
    expect(of({ 11: 200, 12: 200, 30: 200, 31: 200 })).toMatch(/not flat/)
  })
  it('lets chance have a bin or two', () => expect(verdict({ coverage: [at(0.95, 0.95)], pit: change({ 3: 140 }) })).toMatch(/^As it should be/))
})
