import { expect, test } from 'vitest'
import type { Input, ObservedRow, Predictions } from '../api/types.ts'
import { baseOf, changes, curvesOf, gridOf, natural, rowsOf, settingOf, spanOf, steps } from './effects.ts'

const fields = [
  { name: 'x', role: 'feature', type: 'number', center: 10, scale: 2 },
  { name: 'c', role: 'feature', type: 'category', levels: ['AA', 'DL'], baseline: 'DL' },
  { name: 'e', role: 'exposure', type: 'number' },
] as Input[]

test('it begins at centres and baselines', () => {
  expect(baseOf(fields)).toEqual({ x: 10, c: 'DL', e: 1 })
})

test('the address holds what was changed, and no more', () => {
  const set = { ...baseOf(fields), x: 12 }
  expect(changes(baseOf(fields), fields)).toBeNull()
  expect(changes(set, fields)).toBe('{"x":12}')
  expect(settingOf(changes(set, fields), fields)).toEqual(set)
  for (const text of [null, '', 'x', '[]', 'null', '{"x":"12","c":3,"y":1}', '{"x":1e999}']) expect(settingOf(text, fields), String(text)).toEqual(baseOf(fields))
})

test('rows of all curves come in one question and are told apart again', () => {
  const rows = rowsOf(baseOf(fields), fields)
  expect(rows.length).toBe(1 + steps + 2 + steps)
  expect(rows[1]).toEqual({ x: 4, c: 'DL', e: 1 })
  expect(rows[steps]).toEqual({ x: 16, c: 'DL', e: 1 })
  expect(rows[steps + 1]).toEqual({ x: 10, c: 'AA', e: 1 })
  const predictions = rows.map((_, row) => ({ row })) as Predictions['predictions']
  const { here, curves } = curvesOf(predictions, fields)
  expect(here?.row).toBe(0)
  expect(curves.map((c) => c.predictions[0]?.row)).toEqual([1, steps + 1, steps + 3])
  expect(curves.map((c) => c.predictions.length)).toEqual(fields.map((f) => gridOf(f).length))
})

test('what is never seen below 0 is not drawn there', () => {
  const wide = [{ name: 'km', role: 'feature', type: 'number', center: 10, scale: 8 }] as Input[]
  const rows = (least: number, n: number) => Array.from({ length: n }, (_, i) => ({ inputs: { km: least + i } }) as unknown as ObservedRow)
  expect(spanOf(natural(wide, rows(0, 20))[0]!)).toEqual([0, 34])
  expect(gridOf(natural(wide, rows(0, 20))[0]!)[0]).toBe(0)
  expect(spanOf(natural(wide, rows(0, 19))[0]!)).toEqual([-14, 34])
  expect(spanOf(natural(wide, rows(-1, 40))[0]!)).toEqual([-14, 34])
  expect(natural(fields, [])).toEqual(fields)
})
