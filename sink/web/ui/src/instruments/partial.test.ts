import { expect, test } from 'vitest'
import type { Input, ObservedRow, Predictions } from '../api/types.ts'
import type { Curve } from './effects.ts'
import { dotsOf, middle, seenOf } from './partial.ts'

const prediction = (mean: number) => ({ mean }) as Predictions['predictions'][number]
const row = (observed: number | null, inputs?: Record<string, number | string | null>) => ({ observed, ...(inputs ? { inputs } : {}) }) as ObservedRow

test('rows without an input or a response are no dots', () => {
  const rows = [row(1, { x: 2, c: 'a', more: 9 }), row(null, { x: 2, c: 'a' }), row(3), row(4, { x: null, c: 'a' }), row(5, { x: 1 })]
  expect(seenOf(rows, ['x', 'c'])).toEqual([{ inputs: { x: 2, c: 'a' }, observed: 1 }])
})

test('a partial residual of a linear model is its line plus the residual', () => {
  // y = 10 + 2 x + 5 [c = b], the curve of x drawn at c = a.
  const curve: Curve = { field: { name: 'x', role: 'feature', type: 'number' } as Input, values: [0, 1, 2, 3, 4], predictions: [10, 12, 14, 16, 18].map(prediction) }
  const seen = [{ inputs: { x: 2.5, c: 'b' }, observed: 21 }, { inputs: { x: 4, c: 'a' }, observed: 17.5 }, { inputs: { x: 9, c: 'a' }, observed: 0 }]
  const expected = [20, 18, 28].map(prediction)
  expect(dotsOf(curve, seen, expected, false)).toEqual([{ x: 2.5, y: 16 }, { x: 4, y: 17.5 }])
  expect(dotsOf(curve, seen, expected, true).map((d) => d.y)).toEqual([21, 17.5])
  const levels: Curve = { field: { name: 'c', role: 'feature', type: 'category' } as Input, values: ['a', 'b'], predictions: [14, 19].map(prediction) }
  expect(dotsOf(levels, seen, expected, false)).toEqual([{ x: 1, y: 20 }, { x: 0, y: 13.5 }, { x: 0, y: -14 }])
})

test('the range leaves out a twentieth at either end', () => {
  expect(middle([])).toEqual([])
  expect(middle(Array.from({ length: 40 }, (_, i) => ({ x: 0, y: 39 - i })))).toEqual([2, 37])
})
