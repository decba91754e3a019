// Monte Carlo bands of counts.

/**
 * binomialBand is the narrowest pair of counts with at most (1 - level) / 2 of
 * a Binomial(n, p) below the first and at most as much above the second. Exact up to rounding:
 * the masses are summed relative to the mode's, outwards until they vanish, in about 20 sqrt(n p) steps.
 */
export function binomialBand(n: number, p: number, level: number): [number, number] {
  if (n <= 0 || p <= 0) return [0, 0]
  if (p >= 1) return [n, n]
  const mode = Math.min(n, Math.floor((n + 1) * p))
  const odds = p / (1 - p)
  const below: number[] = [] // masses of mode-1, mode-2, ...
  const above: number[] = [] // masses of mode+1, mode+2, ...
  let total = 1
  for (let k = mode, mass = 1; k > 0 && mass > 1e-20; k--) {
    mass *= k / ((n - k + 1) * odds)
    below.push(mass)
    total += mass
  }
  for (let k = mode, mass = 1; k < n && mass > 1e-20; k++) {
    mass *= ((n - k) * odds) / (k + 1)
    above.push(mass)
    total += mass
  }
  const tail = ((1 - level) / 2) * total
  return [mode - reach(below, tail), mode + reach(above, tail)]
}

/** reach is how many steps from the mode have to be taken until the rest beyond is at most tail. */
function reach(masses: readonly number[], tail: number): number {
  let rest = 0
  let steps = masses.length
  while (steps > 0 && rest + masses[steps - 1]! <= tail) {
    rest += masses[steps - 1]!
    steps--
  }
  return steps
}

/** Histogram of probability integral transforms with the band of each bin's count. */
export interface Histogram {
  counts: number[]
  rows: number
  expected: number
  low: number
  high: number
  outside: number
}

/**
 * pitHistogram merges the bins, halving their number while a bin expects fewer
 * than ten rows (not below 10 bins), and gives the band that 99 % of the counts of one bin of a calibrated
 * model lie in. Null without rows.
 */
export function pitHistogram(pit: readonly number[]): Histogram | null {
  const rows = pit.reduce((a, b) => a + b, 0)
  if (rows === 0) return null
  let counts = [...pit]
  while (counts.length >= 20 && counts.length % 2 === 0 && rows / counts.length < 10) {
    counts = counts.filter((_, i) => i % 2 === 0).map((c, i) => c + counts[2 * i + 1]!)
  }
  const [low, high] = binomialBand(rows, 1 / counts.length, 0.99)
  const outside = counts.filter((c) => c < low || c > high).length
  return { counts, rows, expected: rows / counts.length, low, high, outside }
}
