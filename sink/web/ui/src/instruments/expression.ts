// Expressions of publish.quantities, as far as a form of variables and weights writes
// and reads them: sums of numbers times variables.

/** Term is a variable and its weight. */
export interface Term {
  variable: string
  weight: number
}

const word = String.raw`[\p{L}_][\p{L}\p{Nd}_.]*`
const plain = new RegExp(`^${word}(\\[[^\\[\\]]*\\])?$`, 'u')

/** named writes a variable, between backticks where its name would be read as something else. */
export function named(variable: string): string {
  return plain.test(variable) ? variable : '`' + variable.replace(/`/g, '``') + '`'
}

/** expressionOf writes a sum; '' without a variable. */
export function expressionOf(terms: readonly Term[]): string {
  return terms.filter((t) => t.variable !== '' && t.weight !== 0).map((t, i) => {
    const size = Math.abs(t.weight)
    const sign = t.weight < 0 ? (i === 0 ? '-' : ' - ') : i === 0 ? '' : ' + '
    return sign + (size === 1 ? '' : size + '*') + named(t.variable)
  }).join('')
}

const number = String.raw`(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`
const name = `(${word}(?:\\[[^\\[\\]]*\\])?|` + '`(?:[^`]|``)+`)'
const piece = new RegExp(String.raw`\s*([+-])?\s*(?:(${number})\s*\*\s*)?${name}\s*(?:([*/])\s*(${number})\s*)?`, 'uy')

/** termsOf reads what expressionOf writes and sums like it; null where the text is anything else. */
export function termsOf(text: string): Term[] | null {
  const out: Term[] = []
  piece.lastIndex = 0
  while (piece.lastIndex < text.length) {
    const found = piece.exec(text)
    if (!found || (out.length > 0 && !found[1])) return null
    const [, sign, before, variable = '', by, after] = found
    const weight = (sign === '-' ? -1 : 1) * Number(before ?? 1) * (after === undefined ? 1 : by === '/' ? 1 / Number(after) : Number(after))
    out.push({ variable: variable.startsWith('`') ? variable.slice(1, -1).replace(/``/g, '`') : variable, weight })
  }
  return out.length > 0 && expressionOf(out) !== '' ? out : null
}

/** quantityYaml is the entry of the configuration that publishes an expression with every shard. */
export function quantityYaml(of: string, name: string): string {
  const lines = ['publish:', '  quantities:']
  if (name) lines.push(`    - name: ${JSON.stringify(name)}`, `      of: ${JSON.stringify(of)}`)
  else lines.push(`    - of: ${JSON.stringify(of)}`)
  return lines.join('\n') + '\n'
}

/** firstContrast is what to begin with: the difference of two levels where there are such, else the first variable. */
export function firstContrast(variables: readonly string[]): Term[] {
  const levels = variables.filter((v) => /\[.+\]$/.test(v) && !/\[(intercept|Intercept)\]$/.test(v))
  const pair = levels.length > 1 ? levels.slice(0, 2) : variables.slice(0, 1)
  return pair.map((variable, i) => ({ variable, weight: i === 0 ? 1 : -1 }))
}
