import type { ObservedRow, Predictions } from '../api/types.ts'
import type { Curve, Setting } from './effects.ts'

/** Seen is an observed row with all inputs that the model takes, and its response. */
export interface Seen {
  inputs: Setting
  observed: number
}

/** seenOf are the rows whose inputs are all known, for the inputs of that name. */
export function seenOf(rows: readonly ObservedRow[], names: readonly string[]): Seen[] {
  return rows.flatMap(({ inputs, observed }) => {
    if (!inputs || observed === null || names.some((n) => inputs[n] === undefined || inputs[n] === null)) return []
    return [{ inputs: Object.fromEntries(names.map((n) => [n, inputs[n]!])), observed }]
  })
}

/** Dot is an observed row beside the curve of an input. */
export interface Dot {
  x: number
  y: number
}

/**
 * dotsOf places rows beside a curve. Raw ones as they are: classes. Others as partial residuals: the curve at
 * the row's value plus what the row differs from what the model expects of it, so that the effects of the other inputs
 * are taken off and a wrong shape shows.
 */
export function dotsOf(curve: Curve, seen: readonly Seen[], expected: readonly Predictions['predictions'][number][], raw: boolean): Dot[] {
  return seen.flatMap((s, i) => {
    const value = s.inputs[curve.field.name]!
    const mean = expected[i]?.mean
    const at = onCurve(curve, value)
    if (at === null || mean == null) return []
    return [{ x: at.x, y: raw ? s.observed : at.y + s.observed - mean }]
  })
}

/** onCurve is the place of a value and the curve there; null where the curve is not drawn. */
function onCurve({ field, values, predictions }: Curve, value: string | number): Dot | null {
  const mean = (i: number) => predictions[i]?.mean ?? null
  if (field.type !== 'number') {
    const x = values.indexOf(String(value))
    const y = mean(x)
    return y === null ? null : { x, y }
  }
  const [x, lo, hi] = [Number(value), values[0] as number, values[values.length - 1] as number]
  if (!(x >= lo && x <= hi)) return null
  const place = ((x - lo) / (hi - lo || 1)) * (values.length - 1)
  const i = Math.min(values.length - 2, Math.floor(place))
  const [a, b] = [mean(i), mean(i + 1)]
  return a === null || b === null ? null : { x, y: a + (b - a) * (place - i) }
}

/** middle is where all but the farthest twentieth at either end of the dots lie. */
export function middle(dots: readonly Dot[]): number[] {
  const y = dots.map((d) => d.y).sort((a, b) => a - b)
  return y.length === 0 ? [] : [y[Math.floor(y.length / 20)]!, y[y.length - 1 - Math.floor(y.length / 20)]!]
}
