import { expect, test } from 'vitest'
import type { Flag } from '../api/types.ts'
import { risings } from './risings.ts'
import type { Moment } from './series.ts'

const moments = (first: number, ...flags: Flag[][]) => flags.map((f, i) => ({ t: first + i, flags: f }) as Moment)
const told = (list: readonly Moment[]) => risings(list).map((r) => [r.moment.t, r.flags])

test('a flag rises where it was not at the shard before, each time', () => {
  expect(told(moments(1, ['prior_dominated'], ['prior_dominated', 'low_ess'], [], ['low_ess']))).toEqual([[1, ['prior_dominated']], [2, ['low_ess']], [4, ['low_ess']]])
})

test('what the first kept shard had did not rise there, unless it is the first of all', () => {
  expect(told(moments(7, ['model'], ['model'], ['model', 'low_ess']))).toEqual([[9, ['low_ess']]])
  expect(told([])).toEqual([])
})
