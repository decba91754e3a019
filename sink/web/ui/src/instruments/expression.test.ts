import { expect, test } from 'vitest'
import { expressionOf, firstContrast, named, quantityYaml, termsOf } from './expression.ts'

test('what is written is read again', () => {
  for (const terms of [
    [{ variable: 'beta[x]', weight: 1 }],
    [{ variable: 'level[A]', weight: 1 }, { variable: 'level[B]', weight: -1 }],
    [{ variable: 'a b`c', weight: -0.5 }, { variable: 'sigma2', weight: 1e-7 }, { variable: 'ß_1.2[é ü]', weight: 3 }],
    [{ variable: 'beta[a:b[2]]', weight: 2 }],
  ]) expect(termsOf(expressionOf(terms))).toEqual(terms)
  expect(expressionOf([{ variable: 'x', weight: 0 }, { variable: '', weight: 2 }])).toBe('')
  expect(named('exp')).toBe('exp')
  expect(named('2x')).toBe('`2x`')
})

test('sums as people write them are terms, anything else is not', () => {
  expect(termsOf('level[A]-level[B]')).toEqual([{ variable: 'level[A]', weight: 1 }, { variable: 'level[B]', weight: -1 }])
  expect(termsOf('- x / 4 + 2 * y * 3')).toEqual([{ variable: 'x', weight: -0.25 }, { variable: 'y', weight: 6 }])
  for (const text of ['', 'x +', 'exp(x)', '(x - y) / 2', 'x y', '3', 'x + 3', '0*x']) expect(termsOf(text), text).toBeNull()
})

test('the entry of the configuration quotes what YAML would read as something else', () => {
  expect(quantityYaml('`a: "b"` - c', 'lift')).toBe('publish:\n  quantities:\n    - name: "lift"\n      of: "`a: \\"b\\"` - c"\n')
  expect(quantityYaml('x', '')).toBe('publish:\n  quantities:\n    - of: "x"\n')
})

test('it begins with two levels, else with a variable', () => {
  expect(firstContrast(['mu', 'level[A]', 'level[B]', 'level[C]'])).toEqual([{ variable: 'level[A]', weight: 1 }, { variable: 'level[B]', weight: -1 }])
  expect(firstContrast(['beta[intercept]', 'beta[x]'])).toEqual([{ variable: 'beta[intercept]', weight: 1 }])
  expect(firstContrast([])).toEqual([])
})
