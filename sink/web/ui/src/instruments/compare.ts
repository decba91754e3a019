import type { Row } from '../api/types.ts'
import { densityOf, sample, type Density } from '../charts/density.ts'

/** Compared is a law of the variable: of a key, now or as of a shard. */
export interface Compared {
  name: string
  row: Row
}

/** Ranked is one of them with its place among all. */
export interface Ranked extends Compared {
  density: Density | null
  /** The probability that it is the largest of all; null where a law is not known. */
  largest: number | null
  /** The probability that it is larger than the one that follows; null for the last. */
  aboveNext: number | null
}

const reach = 6 // normal scores
const points = 400 // of each law

/**
 * ranked sorts by the median and compares laws that are independent, as those of
 * different keys are: P(A > B) is the integral of A's density times B's distribution
 * function, both drawn through the published quantiles.
 */
export function ranked(list: readonly Compared[]): Ranked[] {
  const sorted = [...list].sort((a, b) => (b.row.median ?? -Infinity) - (a.row.median ?? -Infinity))
    .map((c): Ranked => ({ ...c, density: densityOf(c.row, 'real'), largest: null, aboveNext: null }))
  const laws = sorted.map((c) => c.density)
  if (laws.some((d) => d === null || d.point !== null) || laws.length < 2) return sorted
  const x = [...new Set(laws.flatMap((d) => sample(d!, ...(d as { range: (z: number) => [number, number] }).range(reach), points).x))].sort((a, b) => a - b)
  const masses = laws.map((d) => massesOf(d!, x))
  return sorted.map((c, i) => ({
    ...c,
    largest: above(masses[i]!, masses.filter((_, j) => j !== i)),
    aboveNext: i + 1 < sorted.length ? above(masses[i]!, [masses[i + 1]!]) : null,
  }))
}

interface Masses {
  /** The probability of each interval between two points, and below its middle. */
  each: number[]
  below: number[]
}

function massesOf(d: Density, x: readonly number[]): Masses {
  const y = x.map((v) => (d.point === null ? d.at(v) : 0))
  const each = x.slice(1).map((v, i) => ((v - x[i]!) * (y[i]! + y[i + 1]!)) / 2)
  const total = each.reduce((a, b) => a + b, 0)
  let sum = 0
  const below = each.map((m) => {
    sum += m
    return (sum - m / 2) / total
  })
  return { each: each.map((m) => m / total), below }
}

/** above is the probability that one is larger than all of the others. */
function above(one: Masses, others: readonly Masses[]): number {
  return one.each.reduce((sum, m, i) => sum + others.reduce((p, o) => p * o.below[i]!, m), 0)
}
