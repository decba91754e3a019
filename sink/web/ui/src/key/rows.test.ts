import { describe, expect, it } from 'vitest'
import type { Row } from '../api/types.ts'
import { arranged, isExact, judge } from './rows.ts'

const row = (variable: string, more: Partial<Row> = {}): Row =>
  ({ variable, mean: 0, sd: 1, median: 0, mcse_mean: 0, ess_bulk: null, ess_tail: null, r_hat: null, ...more }) as Row

const rows = [row('u[10]', { median: 3 }), row('u[9]', { median: null }), row('Beta[<b>]', { median: -1 })]
const names = (list: Row[]) => list.map((r) => r.variable)

describe('rows', () => {
  it('are found by text in either case and sorted as people count', () => {
    expect(names(arranged(rows, ' BETA[<', 'order', false))).toEqual(['Beta[<b>]'])
    expect(names(arranged(rows, '', 'name', false))).toEqual(['Beta[<b>]', 'u[9]', 'u[10]'])
    expect(names(arranged(rows, '', 'order', true))).toEqual(['Beta[<b>]', 'u[9]', 'u[10]'])
  })
  it('without a value come last either way', () => {
    expect(names(arranged(rows, '', 'median', false))).toEqual(['Beta[<b>]', 'u[10]', 'u[9]'])
    expect(names(arranged(rows, '', 'median', true))).toEqual(['u[10]', 'Beta[<b>]', 'u[9]'])
  })
  it('are judged by their diagnostics', () => {
    expect(judge(row('a')).worst).toBe('ok')
    expect(isExact(row('a'))).toBe(true)
    const drawn = row('b', { mcse_mean: 0.06, ess_bulk: 99, ess_tail: 400, r_hat: 1.05 })
    expect(isExact(drawn)).toBe(false)
    expect(judge(drawn)).toEqual({ rHat: 'note', essBulk: 'bad', essTail: 'ok', mcse: 'note', worst: 'bad' })
    expect(judge(row('c', { r_hat: 1.0501 })).rHat).toBe('bad')
  })
})
