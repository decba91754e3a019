import type { About, Input, KindInfo } from '../api/types.ts'

// Units of a model's variables, from those of its columns as the configuration says.

/** columnOf is the column in a variable's brackets, without the level: carrier of beta[carrier=AA]. */
function columnOf(variable: string): { name: string; level: boolean } | null {
  const inside = /\[(.*)\]$/s.exec(variable)?.[1]
  if (inside === undefined) return null
  const equal = inside.lastIndexOf('=')
  return equal < 0 ? { name: inside, level: false } : { name: inside.slice(0, equal), level: true }
}

const responseOf = (inputs: readonly Input[]) => inputs.find((i) => i.role === 'response')

/** responseUnit is that of the response, '' where none is told or the response is a class or a count. */
export function responseUnit(about: About | null | undefined, kind: KindInfo | undefined): string {
  return kind?.response === 'real' ? (responseOf(about?.inputs ?? [])?.unit ?? '') : ''
}

/**
 * unitOf is the unit of a variable: of the response, of it per unit of a column, squared
 * for variances. '' where the configuration tells none or the scale has none (probit, log rates).
 */
export function unitOf(variable: string, about: About | null | undefined, kind: KindInfo | undefined): string {
  const response = responseUnit(about, kind)
  if (response === '' || variable === 'phi') return ''
  if (/^(sigma2|tau2|sigma2_u)(\[|$)/.test(variable)) return /\s|\//.test(response) ? `(${response})²` : response + '²'
  const column = columnOf(variable)
  if (!column || column.level || column.name === 'intercept' || !/^(beta|gamma)\[/.test(variable)) return response
  const input = about?.inputs.find((i) => i.name === column.name && i.role !== 'response')
  // A column that a formula makes has no unit of its own.
  if (input?.type !== 'number' || !input.unit) return ''
  return `${response}/${/\s|\//.test(input.unit) ? `(${input.unit})` : input.unit}`
}

/**
 * standard is what a coefficient is multiplied by to be in typical spreads: that of the
 * response per one of its column. Null of what is no coefficient, and where a scale is not told.
 */
export function standard(variable: string, about: About | null | undefined, kind: KindInfo | undefined): number | null {
  const column = /^(beta|gamma)\[/.test(variable) ? columnOf(variable) : null
  if (!about || !column || column.name === 'intercept') return null
  const real = kind?.response === 'real'
  const response = responseOf(about.inputs)?.scale
  if (real && response === undefined) return null
  const per = real ? response! : 1
  if (column.level) return 1 / per
  const scale = about.inputs.find((i) => i.name === column.name && i.role !== 'response')?.scale
  return scale === undefined ? null : scale / per
}
