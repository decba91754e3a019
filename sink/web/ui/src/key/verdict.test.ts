import { describe, expect, it } from 'vitest'
import { verdict } from './verdict.ts'

const at = (nominal: number, share: number, half = 0.02) => ({ nominal, share, low: nominal - half, high: Math.min(1, nominal + half) })
const flat = Array.from({ length: 40 }, () => 100)

describe('the verdict on calibration', () => {
  it('is none without a row', () => expect(verdict({ coverage: [], pit: flat.map(() => 0) })).toContain('Too little'))
  it('is good when all agree', () => expect(verdict({ coverage: [at(0.5, 0.51), at(0.95, 0.94)], pit: flat })).toContain('As it should be'))
  it('tells which way 95 % fails', () => {
    expect(verdict({ coverage: [at(0.95, 0.9)], pit: flat })).toContain('Too sure')
    expect(verdict({ coverage: [at(0.95, 0.98)], pit: flat })).toContain('Too cautious')
  })
  it('does not praise a model that is right at 95 % only', () => {
    expect(verdict({ coverage: [at(0.5, 0.63), at(0.95, 0.944)], pit: flat })).toMatch(/shape.*63.*50/)
    const humped = flat.map((n, i) => (i > 10 && i < 20 ? 2 * n : n))
    expect(verdict({ coverage: [at(0.95, 0.95)], pit: humped })).toContain('not flat')
  })
  it('lets chance have a bin or two', () => {
    const one = [...flat]
    one[3] = 140
    expect(verdict({ coverage: [at(0.95, 0.95)], pit: one })).toContain('As it should be')
  })
})
