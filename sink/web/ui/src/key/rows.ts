import type { Row } from '../api/types.ts'

// Sorting and judging the rows of a posterior.

export const sortNames = ['order', 'name', 'median', 'sd', 'mcse', 'r_hat', 'ess_bulk', 'ess_tail'] as const
export type Sort = (typeof sortNames)[number]

const collator = new Intl.Collator('en', { numeric: true })

const value: Record<Exclude<Sort, 'order' | 'name'>, (r: Row) => number | null> = {
  median: (r) => r.median,
  sd: (r) => r.sd,
  // The share of the sd tells which mean is off most, whatever its unit.
  mcse: (r) => (r.mcse_mean !== null && r.sd ? r.mcse_mean / r.sd : null),
  r_hat: (r) => r.r_hat,
  ess_bulk: (r) => r.ess_bulk,
  ess_tail: (r) => r.ess_tail,
}

/** arranged are the rows whose name has the text in it, letters of either case, sorted; what is undefined comes last. */
export function arranged(rows: readonly Row[], search: string, sort: Sort, descending: boolean): Row[] {
  const text = search.trim().toLowerCase()
  const out = rows.filter((r) => text === '' || r.variable.toLowerCase().includes(text))
  const sign = descending ? -1 : 1
  if (sort === 'order') return descending ? out.reverse() : out
  if (sort === 'name') return out.sort((a, b) => sign * collator.compare(a.variable, b.variable))
  const of = value[sort]
  return out.sort((a, b) => {
    const [x, y] = [of(a), of(b)]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    return sign * (x - y)
  })
}

/** Thresholds of the diagnostics; the flags of the API use the ones marked bad. */
export const thresholds = { rHatNote: 1.01, rHatBad: 1.05, essNote: 400, essBad: 100, mcseNote: 0.05, mcseBad: 0.1 }

export type Verdict = 'ok' | 'note' | 'bad'

/** isExact says that a row comes from a closed form: no draws, no Monte Carlo error. */
export function isExact(r: Row): boolean {
  return r.mcse_mean === 0 && r.ess_bulk === null && r.r_hat === null
}

/** judge compares the diagnostics of a row with the thresholds. */
export function judge(r: Row): { rHat: Verdict; essBulk: Verdict; essTail: Verdict; mcse: Verdict; worst: Verdict } {
  const above = (v: number | null, note: number, bad: number): Verdict => (v === null ? 'ok' : v > bad ? 'bad' : v > note ? 'note' : 'ok')
  const below = (v: number | null): Verdict => (v === null ? 'ok' : v < thresholds.essBad ? 'bad' : v < thresholds.essNote ? 'note' : 'ok')
  const out = {
    rHat: above(r.r_hat, thresholds.rHatNote, thresholds.rHatBad),
    essBulk: below(r.ess_bulk),
    essTail: below(r.ess_tail),
    mcse: above(r.mcse_mean !== null && r.sd ? r.mcse_mean / r.sd : null, thresholds.mcseNote, thresholds.mcseBad),
  }
  const all = Object.values(out)
  return { ...out, worst: all.includes('bad') ? 'bad' : all.includes('note') ? 'note' : 'ok' }
}

/** sensible is the variable that is shown until one is chosen: the first that is no intercept, which says where columns were centred and not what they do. */
export function sensible(variables: readonly string[]): string {
  return variables.find((v) => !v.endsWith('[intercept]')) ?? variables[0] ?? ''
}
