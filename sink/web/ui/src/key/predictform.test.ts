import { describe, expect, it } from 'vitest'
import type { Input } from '../api/types.ts'
import { localTime } from '../format.ts'
import { entriesOf, faultOf, fieldsOf, hint, linked, linkedRequest, requestOf, requestOfText, typical } from './predictform.ts'

const inputs: Input[] = [
  { name: 'delay', role: 'response', type: 'number', center: 8, scale: 30 },
  { name: 'distance', role: 'feature', type: 'number', center: 700.123, scale: 512.6 },
  { name: 'carrier', role: 'feature', type: 'category', levels: ['AA', 'DL'], baseline: 'DL' },
  { name: 'distance', role: 'slope', type: 'number' },
  { name: 'hours', role: 'exposure', type: 'number' },
  { name: 'minute', role: 'time', type: 'number' },
  { name: '<script>', role: 'group', type: 'category', levels: ['a b', 'c'] },
]
const fields = fieldsOf(inputs)

describe('predict form', () => {
  it('asks for every input once, and neither response nor time', () => {
    expect(fields.map((f) => f.name)).toEqual(['distance', 'carrier', 'hours', '<script>'])
  })
  it('hints at usual values', () => {
    expect(hint(fields[0]!)).toBe('700 ± 510')
    expect(hint(fields[2]!)).toBe('above 0')
  })
  it('fills what is empty and keeps what was typed', () => {
    expect(typical(fields, { distance: '5' })).toEqual({ distance: '5', carrier: 'DL', hours: '1', '<script>': 'a b' })
  })
  it('makes a request of good entries', () => {
    const { request, faults } = requestOf(fields, [{ distance: ' −1.5e2 ', carrier: 'AA', hours: '.5', '<script>': 'new one' }])
    expect(faults).toEqual([])
    expect(request).toEqual({ rows: [{ distance: -150, carrier: 'AA', hours: 0.5, '<script>': 'new one' }] })
  })
  it('tells faults at their fields', () => {
    const { faults } = requestOf(fields, [{ distance: '1', carrier: 'AA', hours: '1', '<script>': 'c' }, { distance: '0x10', carrier: '', hours: '0' }])
    expect(faults.map((f) => [f.row, f.input])).toEqual([[1, 'distance'], [1, 'carrier'], [1, 'hours'], [1, '<script>']])
    expect(requestOf([fields[0]!], [{ distance: '1e999' }]).faults).toHaveLength(1)
  })
  it('comes back from an address as it was typed', () => {
    const at: Input = { name: 'at', role: 'feature', type: 'number', moment: true }
    const typed = [{ distance: '-150', carrier: 'AA', hours: '0.5', '<script>': 'new one', at: localTime(new Date('2026-01-31T08:30:05Z')) }]
    const { request } = requestOf([...fields, at], typed)
    const read = linkedRequest(linked(request) ?? '')
    expect(read).toEqual(request)
    expect(entriesOf(read, [...fields, at])).toEqual(typed)
    expect(entriesOf(null, fields)).toEqual([{}])
    expect(linkedRequest(linked({ horizon: 8 }) ?? '')).toEqual({ horizon: 8 })
    expect(linked({ rows: Array(1000).fill({ distance: 1 }) })).toBeNull()
  })
  it.each(['', '{', 'null', '3', '[]', '{"rows":[]}', '{"rows":[1]}', '{"rows":{}}', '{"horizon":"8"}', '{"else":1}'])('takes %j of an address for no request', (text) => {
    expect(linkedRequest(text)).toBeNull()
  })
  it('takes a time as a date and a time of the reader’s zone', () => {
    const at: Input = { name: 'at', role: 'feature', type: 'number', moment: true }
    const time = new Date('2026-01-31T08:30:05Z')
    expect(requestOf([at], [{ at: localTime(time) }])).toEqual({ request: { rows: [{ at: time.toISOString() }] }, faults: [] })
    expect(requestOf([at], [{ at: 'soon' }, {}]).faults.map((f) => f.message)).toEqual(['"soon" is not a date and a time', 'needs a date and a time'])
    expect(new Date(typical([at], {})['at']!).getTime()).not.toBeNaN()
  })
  it('reads rows from JSON and says what is wrong with it', () => {
    expect(requestOfText('[{"a":1}]')).toEqual({ rows: [{ a: 1 }] })
    expect(requestOfText('{"a":1}')).toEqual({ rows: [{ a: 1 }] })
    expect(requestOfText('{"rows":[]}')).toEqual({ rows: [] })
    expect(requestOfText('[')).toContain('not JSON')
    expect(requestOfText('[]')).toBe('the list has no row')
    expect(requestOfText('3')).toContain('list of rows')
  })
  it('puts errors of the API at the field they name', () => {
    expect(faultOf('row 1: column "carrier": unknown level "XX"', fields, 3)).toMatchObject({ row: 1, input: 'carrier' })
    expect(faultOf('distance is missing', fields, 1)).toMatchObject({ row: 0, input: 'distance' })
    expect(faultOf('row 7 is wrong', fields, 3)).toMatchObject({ row: null, input: null })
    expect(faultOf('the store does not answer', fields, 2)).toMatchObject({ row: null, input: null })
  })
})
