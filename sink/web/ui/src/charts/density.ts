// Densities drawn from the quantiles that a summary publishes.

import { normalDensity, normalQuantile } from './normal.ts'
import { monotone, type Curve } from './pchip.ts'

type Num = number | null

/** Quantiles are the columns of a summary row that a density is drawn from. */
export interface Quantiles {
  'q2.5': Num
  q5: Num
  q25: Num
  median: Num
  q75: Num
  q95: Num
  'q97.5': Num
}

const levels: readonly [keyof Quantiles, number][] = (
  [
    ['q2.5', 0.025],
    ['q5', 0.05],
    ['q25', 0.25],
    ['median', 0.5],
    ['q75', 0.75],
    ['q95', 0.95],
    ['q97.5', 0.975],
  ] as [keyof Quantiles, number][]
).map(([name, p]) => [name, normalQuantile(p)])

/** Support says where a variable can lie by its nature. */
export type Support = 'real' | 'positive' | 'unit'

/** supportOf tells from a variable's name: variances are positive, phi lies between -1 and 1. */
export function supportOf(variable: string): Support {
  if (/^(sigma2|tau2|sigma2_u)(\[|$)/.test(variable)) return 'positive'
  return variable === 'phi' ? 'unit' : 'real'
}

interface Chart {
  to(x: number): number
  from(u: number): number
  slope(x: number): number
  holds(x: number): boolean
}

// Each support is mapped to the whole line, where tails are extended.
const charts: Record<Support, Chart> = {
  real: { to: (x) => x, from: (u) => u, slope: () => 1, holds: () => true },
  positive: { to: Math.log, from: Math.exp, slope: (x) => 1 / x, holds: (x) => x > 0 },
  unit: { to: Math.atanh, from: Math.tanh, slope: (x) => 1 / (1 - x * x), holds: (x) => x > -1 && x < 1 },
}

/** Density is a smooth law with the quantiles of a summary, or all mass at one point. */
export type Density =
  | { point: number }
  | {
      point: null
      /** at is the density at x. */
      at(x: number): number
      /** range holds all but what lies beyond z normal scores on either side. */
      range(z: number): [number, number]
    }

/**
 * densityOf is the law whose normal score z(x) = Phi^-1(P(X <= x)) is the
 * monotone curve through the published quantiles, so that its density is
 * phi(z(x)) z'(x); beyond them z goes on straight. A normal law (log-normal for positive
 * variables) comes out exactly. Null where a quantile is missing: a flat prior has none.
 */
export function densityOf(row: Quantiles, support: Support): Density | null {
  const x: number[] = []
  const z: number[] = []
  for (const [name, score] of levels) {
    const q = row[name]
    if (q === null || !Number.isFinite(q)) return null
    x.push(q)
    z.push(score)
  }
  const chart = x.every(charts[support].holds) ? charts[support] : charts.real
  const knots = distinct(x.map(chart.to), z)
  if (knots.x.length < 2) return { point: row.median! }
  const curve = monotone(knots.x, knots.z)
  return {
    point: null,
    at(v) {
      if (!chart.holds(v)) return 0
      const { value, slope } = curve.at(chart.to(v))
      return normalDensity(value) * slope * chart.slope(v)
    },
    range: (score) => [chart.from(inverse(curve, knots, -score)), chart.from(inverse(curve, knots, score))],
  }
}

/** distinct merges quantiles that are equal up to rounding: a curve needs increasing x. */
function distinct(x: number[], z: readonly number[]): { x: number[]; z: number[] } {
  const span = x[x.length - 1]! - x[0]!
  const least = Math.max(span * 1e-9, Math.abs(x[3]!) * 4e-16)
  const out = { x: [] as number[], z: [] as number[] }
  let count = 0
  x.forEach((u, i) => {
    const last = out.x.length - 1
    if (last >= 0 && u - out.x[last]! <= least) {
      count++
      out.z[last]! += (z[i]! - out.z[last]!) / count
      return
    }
    out.x.push(u)
    out.z.push(z[i]!)
    count = 1
  })
  return out
}

function inverse(curve: Curve, knots: { x: number[]; z: number[] }, score: number): number {
  const { x, z } = knots
  const last = x.length - 1
  const end = score < 0 ? 0 : last
  const { slope } = curve.at(x[end]!)
  // Only the tails are asked for; a flat end would run away, so the mean slope is the least.
  const mean = (z[last]! - z[0]!) / (x[last]! - x[0]!)
  return x[end]! + (score - z[end]!) / Math.max(slope, mean / 4)
}

/** sample is the density at so many equally spaced points of [lo, hi]; at a point mass all are 0. */
export function sample(density: Density, lo: number, hi: number, points: number): { x: number[]; y: number[] } {
  const x: number[] = []
  const y: number[] = []
  for (let i = 0; i < points; i++) {
    const v = lo + ((hi - lo) * i) / (points - 1)
    x.push(v)
    y.push(density.point === null ? density.at(v) : 0)
  }
  return { x, y }
}
