import { expect, test } from 'vitest'
import { ago, bytes, count, decimals, estimate, fixed, meanSd, percent, shorten, significant, span, visible } from '../../src/format.ts'

const row = (mean: number, sd: number | null, mcse_mean: number | null) => ({ mean, sd, mcse_mean })

test.each([
  ['two figures of the sd', row(1.23456, 0.0456, null), '1.235 ± 0.046'],
  ['an exact posterior has no Monte Carlo error', row(1.23456, 0.0456, 0), '1.235 ± 0.046'],
  ['twice the MCSE is .04: one place', row(1.23456, 0.456, 0.02), '1.2 ± 0.46'],
  ['twice the MCSE is .2: none', row(1.23456, 0.456, 0.1), '1 ± 0.46'],
  ['places before the point', row(123456, 4321, null), '123\u202f500 ± 4300'],
  ['sd rounded up to the next power of ten', row(5, 0.0999, null), '5.00 ± 0.10'],
  ['as many places as the sd', row(-17.04, 9.97, null), '−17 ± 10'],
  ['a small sd in the form of its mean', row(-0.000162, 0.000084, null), '−0.000162 ± 0.000084'],
  ['both in powers of ten', row(1.62e-8, 8.4e-9, null), '1.62×10⁻⁸ ± 8.4×10⁻⁹'],
  ['negative with a minus sign', row(-0.0332, 0.0075, null), '−0.0332 ± 0.0075'],
  ['no sd: four figures', row(3.14159, null, null), '3.142'],
  ['nothing', { mean: null, sd: null, mcse_mean: null }, '–'],
])('mean ± sd: %s', (_, r, want) => expect(meanSd(r)).toBe(want))

test('digits that the Monte Carlo error would change are never shown', () => {
  for (const sd of [1e-6, 0.003, 0.5, 1, 42, 9999])
    for (const ess of [10, 100, 400, 1e4]) {
      const mcse = sd / Math.sqrt(ess)
      expect(2 * mcse, `sd ${sd} ess ${ess}`).toBeLessThanOrEqual(10 ** -decimals(1, sd, mcse) * (1 + 1e-9))
    }
})

test('quantiles have the places of their row', () => {
  expect(estimate(0.123456, row(5, 0.5, null))).toBe('0.12')
  expect(estimate(-0.001, row(5, 0.5, null))).toBe('0.00')
})

test('long and short numbers', () => {
  expect(fixed(1.5e12, -10)).toBe('1.50×10¹²')
  expect(fixed(-2.5e-7, 8)).toBe('−2.5×10⁻⁷')
  expect(fixed(Infinity, 2)).toBe('∞')
  expect(fixed(NaN, 2)).toBe('–')
  expect(count(1234567)).toBe('1\u202f234\u202f567')
  expect(count(9999)).toBe('9999')
  expect(count(null)).toBe('–')
  expect(significant(0.099951, 2)).toBe('0.10')
  expect(significant(0, 3)).toBe('0')
  expect(percent(0.9468)).toBe('94.7\u202f%')
  expect(bytes(3.4 * 2 ** 20)).toBe('3.4\u202fMiB')
})

test('times', () => {
  const now = Date.UTC(2026, 0, 1, 12)
  expect(ago(now, now)).toBe('now')
  expect(ago(now + 3000, now)).toBe('now')
  expect(ago(now - 7900, now)).toBe('7\u202fs ago')
  expect(ago('2026-01-01T11:55:00Z', now)).toBe('5\u202fmin ago')
  expect(ago('not a time', now)).toBe('–')
  expect(span(7800)).toBe('2\u202fh 10\u202fmin')
  expect(span(0.25)).toBe('0.3\u202fs')
})

test('texts from outside are shortened in the middle and cannot turn or break the line', () => {
  expect(shorten('k'.repeat(512), 10)).toBe('kkkkkk…kkk')
  expect([...shorten('🙂'.repeat(100), 11)]).toHaveLength(11)
  expect(visible('abc\u202egnp.exe')).toBe('abc⟨202E⟩gnp.exe')
  expect(visible('a\nb\u0000')).toBe('a␊b␀')
})
