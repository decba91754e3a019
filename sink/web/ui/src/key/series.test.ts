import { describe, expect, it } from 'vitest'
import type { Point, Row } from '../api/types.ts'
import { historyLimit, KeyHistory, variableGlob } from './series.ts'

function point(offset: number, variables = ['mu']): Point {
  const score = { rows: 0, predicted_rows: 0, log_density: null, log_evidence: null, rmse: null, coverage95: null }
  const posterior = variables.map((variable) => ({ variable, mean: offset }) as Row)
  return {
    key: 'k', kind: 'linear', t: offset, n: 10 * offset, n_eff: null, partition: 0, offset,
    time: new Date(1e12 + offset * 1000).toISOString(), score, flags: [], variables: variables.length, posterior,
  }
}

const offsets = (h: KeyHistory, v = 'mu') => h.track(v)?.moments.map((m) => m.offset)

describe('a key’s history', () => {
  it('has every point once, events that overtake the answer included', () => {
    const h = new KeyHistory()
    h.append([point(4), point(5)])
    expect(h.track('mu')).toBeUndefined()
    h.load([1, 2, 3, 4].map((o) => point(o)))
    h.append([point(5), point(6)])
    h.append([point(8)])
    expect(offsets(h)).toEqual([1, 2, 3, 4, 5, 6, 8])
    expect(h.moments.map((m) => m.offset)).toEqual([1, 2, 3, 4, 5, 6, 8])
    expect(h.newest?.offset).toBe(8)
    expect(h.track('mu')!.rows.map((r) => r.mean)).toEqual([1, 2, 3, 4, 5, 6, 8])
  })
  it('puts a late answer before the events it overlaps', () => {
    const h = new KeyHistory()
    h.load([point(7)])
    h.append([point(8)])
    h.load([point(5), point(6), point(7)])
    expect(offsets(h)).toEqual([5, 6, 7, 8])
    expect(h.newest?.offset).toBe(8)
  })
  it('deepens one variable and leaves the others', () => {
    const h = new KeyHistory()
    h.load([point(8, ['mu', 'tau2']), point(9, ['mu', 'tau2'])])
    // The glob of a name with a comma may bring others.
    h.deepen('mu', [1, 5, 9].map((o) => point(o, ['mu', 'tau2'])))
    expect(offsets(h)).toEqual([1, 5, 8, 9])
    expect(offsets(h, 'tau2')).toEqual([8, 9])
    expect(h.isDeep('mu')).toBe(true)
    expect(h.isDeep('tau2')).toBe(false)
  })
  it('forgets at a reset and waits for the next answer', () => {
    const h = new KeyHistory()
    h.load([point(1)])
    h.reset()
    h.append([point(3)])
    expect(h.track('mu')).toBeUndefined()
    h.load([point(2)])
    expect(offsets(h)).toEqual([2, 3])
  })
  it('keeps a bounded number of points, the newest', () => {
    const h = new KeyHistory()
    h.load([])
    for (let o = 0; o < 5000; o++) h.append([point(o)])
    const kept = offsets(h)!
    expect(kept.length).toBeLessThanOrEqual(2200)
    expect(kept[kept.length - 1]).toBe(4999)
  })
  it('asks for names with commas by a star, and for less of many variables', () => {
    expect(variableGlob('u[shop=a,b]')).toBe('u[shop=a*b]')
    expect(historyLimit(1)).toBe(2000)
    expect(historyLimit(5000)).toBe(187)
  })
})
