import type { Input, ObservedRow, Predictions } from '../api/types.ts'
import { typical } from '../key/predictform.ts'

/** Setting is a row of inputs: what the other curves are drawn at. */
export type Setting = Record<string, string | number>

/** Points of a curve, and levels of a category that are looked at. */
export const steps = 25
const mostLevels = 24

/** mostCurves is how many inputs have a curve at once: a question about a wide model is large. */
export const mostCurves = (inputs: number) => (inputs > 60 ? 4 : 12)

/** baseOf is the row to begin with: numbers at their centre, categories at their baseline. */
export function baseOf(fields: readonly Input[]): Setting {
  const entry = typical(fields, {})
  return Object.fromEntries(fields.map((f) => [f.name, f.type === 'number' ? Number(entry[f.name]) : (entry[f.name] ?? '')]))
}

/** settingOf reads a row from the address over the one to begin with; what does not fit the inputs is left out. */
export function settingOf(text: string | null, fields: readonly Input[]): Setting {
  const base = baseOf(fields)
  let read: unknown
  try {
    read = JSON.parse(text ?? '{}')
  } catch {
    return base
  }
  if (typeof read !== 'object' || read === null) return base
  for (const f of fields) {
    const v = (read as Record<string, unknown>)[f.name]
    if (f.type === 'number' ? typeof v === 'number' && Number.isFinite(v) : typeof v === 'string' && v !== '') base[f.name] = v as string | number
  }
  return base
}

/** changes is what of a row differs from the one to begin with, for the address; null: nothing. */
export function changes(setting: Setting, fields: readonly Input[]): string | null {
  const base = baseOf(fields)
  const changed = Object.entries(setting).filter(([name, v]) => base[name] !== v)
  return changed.length > 0 ? JSON.stringify(Object.fromEntries(changed)) : null
}

/** Field is an input to set; least is what no value is seen to be below. */
export type Field = Input & { least?: number }

/** Rows from which on it is told that an input is never negative. */
const enough = 20

/** natural are the fields with 0 as their least where no observed row is below it: distances, hours, prices. */
export function natural(fields: readonly Input[], rows: readonly ObservedRow[]): Field[] {
  return fields.map((f) => {
    const values = f.type === 'number' ? rows.flatMap((r) => (typeof r.inputs?.[f.name] === 'number' ? [r.inputs[f.name] as number] : [])) : []
    return values.length >= enough && values.every((v) => v >= 0) ? { ...f, least: 0 } : f
  })
}

/** spanOf is the range of a number that is looked at: three scales on either side of its centre, as far as values go. */
export function spanOf(f: Field): [number, number] {
  const [center, scale] = [f.center ?? 0, f.scale && f.scale > 0 ? f.scale : 1]
  const round = (v: number) => Number(v.toPrecision(4))
  if (f.role === 'exposure') return [0.1, 10]
  return [Math.max(f.least ?? -Infinity, round(center - 3 * scale)), round(center + 3 * scale)]
}

/** gridOf are the values of an input that its curve is drawn through. */
export function gridOf(f: Field): (string | number)[] {
  if (f.type !== 'number') return (f.levels ?? []).slice(0, mostLevels)
  const [lo, hi] = spanOf(f)
  return Array.from({ length: steps }, (_, i) => lo + ((hi - lo) * i) / (steps - 1))
}

type Prediction = Predictions['predictions'][number]

/** Curve is an input, its values, and what is predicted at each with all others as they are set. */
export interface Curve {
  field: Field
  values: (string | number)[]
  predictions: Prediction[]
}

/** rowsOf are the rows to predict: first the setting itself, then those of each curve. */
export function rowsOf(setting: Setting, fields: readonly Field[]): Setting[] {
  return [setting, ...fields.flatMap((f) => gridOf(f).map((v) => ({ ...setting, [f.name]: v })))]
}

/** curvesOf takes the answer to rowsOf apart; rest is of the rows that followed them. */
export function curvesOf(predictions: readonly Prediction[], fields: readonly Field[]): { here: Prediction | undefined; curves: Curve[]; rest: readonly Prediction[] } {
  let next = 1
  const curves = fields.map((field) => {
    const values = gridOf(field)
    const part = predictions.slice(next, next + values.length)
    next += values.length
    return { field, values, predictions: part }
  })
  return { here: predictions[0], curves, rest: predictions.slice(next) }
}
