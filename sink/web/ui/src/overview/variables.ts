import { signal } from '@preact/signals'
import type { Row } from '../api/types.ts'
import { sensible } from '../key/rows.ts'

// Which variable the overview shows. None chosen: the first of each model. Only
// the variables that are shown are asked for, not all of them: a model may have
// thousands.

const most = 24
const longest = 1900 // characters that the API takes

/** names are variables met, for the chooser. */
export const names = signal<readonly string[]>([])

/** First are the first variables of models met that are no intercepts; more than `most` of them are asked for as all. */
export class First {
  private readonly known = new Set<string>()

  /** learn takes a whole posterior; it says whether its first variable is new. */
  learn(posterior: readonly Row[]): boolean {
    const head = sensible(posterior.map((r) => r.variable)) || undefined
    const fresh = posterior.map((r) => r.variable).filter((v) => !names.peek().includes(v)).slice(0, 200)
    if (fresh.length > 0 && names.peek().length < 500) names.value = [...names.peek(), ...fresh].sort()
    if (head === undefined || this.known.has(head)) return false
    this.known.add(head)
    return true
  }

  /** globs to ask with, '' while none is known or too many are. */
  globs(): string {
    const list = [...this.known].map(glob).sort().join(',')
    return this.known.size > most || list.length > longest ? '' : list
  }
}

/** glob asks for a variable by name: a comma in it would end it. */
export const glob = (variable: string) => variable.replaceAll(',', '*')
