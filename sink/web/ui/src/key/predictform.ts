import type { Input, PredictRequest, PredictRows } from '../api/types.ts'
import { localTime, significant } from '../format.ts'

/** Entry is one row of the form: what was typed, by input name. */
export type Entry = Record<string, string>

/** Fault is a message at a field; without a field it is about the whole request. */
export interface Fault {
  row: number | null
  input: string | null
  message: string
}

/** fieldsOf are the inputs that a row to predict needs, each name once: a slope may be a feature too. */
export function fieldsOf(inputs: readonly Input[]): Input[] {
  const seen = new Set<string>()
  return inputs.filter((i) => {
    if (i.role === 'response' || i.role === 'time' || seen.has(i.name)) return false
    seen.add(i.name)
    return true
  })
}

/** hint says what values a field usually has: centre ± scale. */
export function hint(input: Input): string {
  if (input.type !== 'number') return input.role === 'group' ? 'a group, known or new' : 'a level'
  if (input.role === 'exposure') return 'above 0'
  if (input.center === undefined || input.scale === undefined) return 'a number'
  if (input.center === 0 && input.scale === 1) return 'a number'
  return `${significant(input.center, 3)} ± ${significant(input.scale, 2)}`
}

/** typical fills what is empty: centres, baselines, the first group, exposure 1. */
export function typical(fields: readonly Input[], entry: Entry): Entry {
  const out = { ...entry }
  for (const f of fields) {
    if (out[f.name]?.trim()) continue
    if (isMoment(f)) out[f.name] = localTime(new Date())
    else if (f.type === 'number') out[f.name] = f.role === 'exposure' ? '1' : String(Number((f.center ?? 0).toPrecision(6)))
    else out[f.name] = f.baseline ?? f.levels?.[0] ?? ''
  }
  return out
}

/** isMoment says that an input is a time, typed as one; a time that is a label is typed as its text. */
export const isMoment = (f: Input) => f.moment === true && f.type === 'number'

/** isNumber says whether a text is a finite number as people write them in forms: 1.5, -2e3, .5. */
function isNumber(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
}

/** requestOf turns the entries into a request, or tells the faults at their fields. */
export function requestOf(fields: readonly Input[], entries: readonly Entry[]): { request: PredictRows; faults: Fault[] } {
  const faults: Fault[] = []
  const rows = entries.map((entry, row) => {
    const out: Record<string, string | number> = {}
    for (const f of fields) {
      const text = (entry[f.name] ?? '').trim()
      const fault = (message: string) => faults.push({ row, input: f.name, message })
      if (isMoment(f)) {
        const time = new Date(text)
        if (text === '') fault('needs a date and a time')
        else if (Number.isNaN(time.getTime())) fault(`${JSON.stringify(text)} is not a date and a time`)
        else out[f.name] = time.toISOString()
      } else if (f.type === 'number') {
        const plain = text.replace('−', '-')
        if (text === '') fault('needs a number')
        else if (!isNumber(plain)) fault(`${JSON.stringify(text)} is not a number: write it like 1.5 or 2e3`)
        else if (f.role === 'exposure' && !(Number(plain) > 0)) fault('exposure is above 0')
        else out[f.name] = Number(plain)
      } else if (text === '') fault(f.role === 'group' ? 'needs a group; one that is not known gets the population’s distribution' : 'needs a level')
      else out[f.name] = entry[f.name] ?? ''
    }
    return out
  })
  return { request: { rows }, faults }
}

/** requestOfText reads rows typed as JSON: a list of objects, one object, or a whole request. */
export function requestOfText(text: string): PredictRequest | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return `not JSON: ${(error as Error).message}`
  }
  if (Array.isArray(value)) return value.length > 0 ? { rows: value } : 'the list has no row'
  if (typeof value !== 'object' || value === null) return 'write a list of rows: [{"column": value}]'
  return 'rows' in value ? (value as PredictRequest) : { rows: [value as Record<string, never>] }
}

/** Characters of a request that an address has room for. */
const longest = 6_000

/** linked writes a request for the address, null where it is too long for one. */
export function linked(request: PredictRequest): string | null {
  const text = JSON.stringify(request)
  return text.length > longest ? null : text
}

/** linkedRequest reads the request of an address, null where it has none. */
export function linkedRequest(text: string): PredictRequest | null {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof read !== 'object' || read === null) return null
  const { rows, horizon } = read as { rows?: unknown; horizon?: unknown }
  if (Array.isArray(rows)) return rows.length > 0 && rows.every((r) => typeof r === 'object' && r !== null) ? { rows } : null
  return typeof horizon === 'number' ? { horizon } : null
}

/** entriesOf are the rows of a request as they would be typed; what has no field is left out. */
export function entriesOf(request: PredictRequest | null, fields: readonly Input[]): Entry[] {
  const rows = request && 'rows' in request ? request.rows : [{}]
  return rows.map((row) => Object.fromEntries(fields.flatMap((f) => {
    const value = (row as Record<string, unknown>)[f.name]
    if (value === undefined || value === null) return []
    return [[f.name, isMoment(f) ? localTime(new Date(value as string)) : String(value)]]
  })))
}

/**
 * faultOf puts an error of the API at the field it names: an input's name in
 * quotes (else as a word), the longest that fits, and "row N" counted from 0 as in answers.
 */
export function faultOf(message: string, fields: readonly Input[], rows: number): Fault {
  const named = fields
    .map((f) => f.name)
    .filter((name) => message.includes(JSON.stringify(name)) || words(message).has(name))
    .sort((a, b) => Number(message.includes(JSON.stringify(b))) - Number(message.includes(JSON.stringify(a))) || b.length - a.length)
  const row = /\brow (\d+)/.exec(message)
  const at = row ? Number(row[1]) : rows === 1 ? 0 : null
  return { row: at !== null && at < rows ? at : null, input: named[0] ?? null, message }
}

function words(text: string): Set<string> {
  return new Set(text.split(/[^\p{L}\p{N}_.-]+/u))
}
