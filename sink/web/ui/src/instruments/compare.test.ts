import { expect, test } from 'vitest'
import type { Row } from '../api/types.ts'
import { normalCDF } from '../charts/normal.ts'
import { ranked } from './compare.ts'

const z = { 'q2.5': -1.959963984540054, q5: -1.6448536269514722, q25: -0.6744897501960817, median: 0, q75: 0.6744897501960817, q95: 1.6448536269514722, 'q97.5': 1.959963984540054 }
const normal = (mean: number, sd: number) => Object.fromEntries(Object.entries(z).map(([k, v]) => [k, mean + sd * v])) as unknown as Row

test('of two normal laws the probability is the closed form', () => {
  for (const [a, s, b, r] of [[1, 1, 0, 2], [0.3, 0.01, 0, 5], [10, 0.5, 10, 0.1], [3, 1, 0, 1]] as const) {
    const [first, second] = ranked([{ name: 'b', row: normal(b, r) }, { name: 'a', row: normal(a, s) }])
    const want = normalCDF(Math.abs(a - b) / Math.hypot(s, r))
    expect(first!.aboveNext!).toBeCloseTo(want, 3)
    expect(first!.largest!).toBeCloseTo(want, 3)
    expect(first!.largest! + second!.largest!).toBeCloseTo(1, 3)
    expect(second!.aboveNext).toBeNull()
  }
})

test('of three equal laws each is the largest as often', () => {
  for (const c of ranked(['a', 'b', 'c'].map((name) => ({ name, row: normal(2, 3) })))) expect(c.largest!).toBeCloseTo(1 / 3, 3)
})

test('a law that is not known leaves all without a probability, and one alone has no other', () => {
  const unknown = { ...normal(0, 1), q5: null } as Row
  for (const c of ranked([{ name: 'a', row: normal(0, 1) }, { name: 'b', row: unknown }])) expect(c.largest).toBeNull()
  expect(ranked([{ name: 'a', row: normal(0, 1) }])[0]!.largest).toBeNull()
})
