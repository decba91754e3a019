import { expect, test } from 'vitest'
import type { About, KindInfo } from '../api/types.ts'
import { responseUnit, standard, unitOf } from './units.ts'

const kind = (response: KindInfo['response']) => ({ response }) as KindInfo
const about = {
  inputs: [
    { name: 'distance', role: 'feature', type: 'number', unit: 'km', center: 900, scale: 500 },
    { name: 'speed', role: 'feature', type: 'number', unit: 'km/h' },
    { name: 'carrier', role: 'feature', type: 'category', levels: ['AA'] },
    { name: 'delay', role: 'response', type: 'number', unit: 'min', center: 5, scale: 20 },
  ],
} as unknown as About

test('a coefficient is in units of the response per unit of its column, a variance in squared ones', () => {
  const of = (variable: string) => unitOf(variable, about, kind('real'))
  expect(of('beta[distance]')).toBe('min/km')
  expect(of('beta[speed]')).toBe('min/(km/h)')
  expect(of('beta[carrier=AA]')).toBe('min')
  expect(of('beta[intercept]')).toBe('min')
  expect(of('zeta[shop 3]')).toBe('min')
  expect(of('sigma2')).toBe('min²')
  expect(of('phi')).toBe('')
  expect(of('beta[log(distance)]')).toBe('')
  expect(unitOf('beta[distance]', about, kind('binary'))).toBe('')
  expect(unitOf('beta[distance]', null, kind('real'))).toBe('')
  expect(responseUnit(about, kind('real'))).toBe('min')
})

test('standardised coefficients are in spreads of the response per spread of the column', () => {
  const of = (variable: string, response: KindInfo['response'] = 'real') => standard(variable, about, kind(response))
  expect(of('beta[distance]')).toBe(25)
  expect(of('beta[carrier=AA]')).toBe(1 / 20)
  expect(of('beta[distance]', 'binary')).toBe(500)
  expect(of('beta[speed]')).toBeNull()
  expect(of('beta[intercept]')).toBeNull()
  expect(of('sigma2')).toBeNull()
})
