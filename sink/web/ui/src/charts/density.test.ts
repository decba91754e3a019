import { describe, expect, it } from 'vitest'
import { densityOf, sample, supportOf, type Density, type Quantiles } from './density.ts'
import { normalCDF, normalDensity, normalQuantile } from './normal.ts'
import { monotone } from './pchip.ts'

const probabilities = { 'q2.5': 0.025, q5: 0.05, q25: 0.25, median: 0.5, q75: 0.75, q95: 0.95, 'q97.5': 0.975 }

function quantiles(quantile: (p: number) => number): Quantiles {
  return Object.fromEntries(Object.entries(probabilities).map(([k, p]) => [k, quantile(p)])) as unknown as Quantiles
}

function smooth(d: Density | null): Extract<Density, { point: null }> {
  if (d === null || d.point !== null) throw new Error('not a smooth density')
  return d
}

/** solve finds the quantile of an increasing distribution function by bisection. */
function solve(cdf: (x: number) => number, p: number, lo: number, hi: number): number {
  for (let i = 0; i < 200; i++) {
    const mid = (lo + hi) / 2
    if (cdf(mid) < p) lo = mid
    else hi = mid
  }
  return (lo + hi) / 2
}

function integral(f: (x: number) => number, lo: number, hi: number, n = 20000): number {
  const h = (hi - lo) / n
  let sum = 0
  for (let i = 0; i < n; i++) sum += f(lo + (i + 0.5) * h)
  return sum * h
}

/** worst is the largest error over [lo, hi] as a share of the peak. */
function worst(got: (x: number) => number, want: (x: number) => number, lo: number, hi: number): number {
  let error = 0
  let peak = 0
  for (let i = 0; i <= 2000; i++) {
    const x = lo + ((hi - lo) * i) / 2000
    error = Math.max(error, Math.abs(got(x) - want(x)))
    peak = Math.max(peak, want(x))
  }
  return error / peak
}

describe('the normal law', () => {
  it('has the quantiles of the tables', () => {
    // Digits of NIST's tables and of R's qnorm and pnorm.
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 13)
    expect(normalQuantile(0.25)).toBeCloseTo(-0.6744897501960817, 13)
    expect(normalQuantile(1e-10) / -6.361340902404056).toBeCloseTo(1, 12)
    expect(normalCDF(-8) / 6.220960574271786e-16).toBeCloseTo(1, 11)
    expect(normalCDF(1)).toBeCloseTo(0.8413447460685429, 14)
    expect(normalQuantile(0)).toBe(-Infinity)
    expect(normalQuantile(1)).toBe(Infinity)
    expect(normalQuantile(-0.1)).toBeNaN()
  })
  it('goes back from quantile to probability', () => {
    for (const p of [1e-300, 1e-8, 0.006, 0.0062, 0.3, 0.5, 0.77, 0.999])
      expect(normalCDF(normalQuantile(p)) / p).toBeCloseTo(1, 10)
  })
})

describe('monotone curve', () => {
  it('passes through its points and never falls', () => {
    const [x, y] = [
      [0, 1, 1.1, 4, 9],
      [0, 0.1, 5, 5, 5.2],
    ]
    const curve = monotone(x, y)
    x.forEach((v, i) => expect(curve.at(v).value).toBeCloseTo(y[i]!, 12))
    let before = -Infinity
    for (let v = -1; v < 10; v += 0.003) {
      const { value, slope } = curve.at(v)
      expect(slope).toBeGreaterThanOrEqual(0)
      expect(value).toBeGreaterThanOrEqual(before - 1e-12)
      before = value
    }
  })
  it('has the slope it says', () => {
    const curve = monotone([0, 1, 2, 5], [0, 3, 4, 4.5])
    for (const v of [0.2, 0.9, 1.4, 3, 4.9]) {
      expect(curve.at(v).slope).toBeCloseTo((curve.at(v + 1e-6).value - curve.at(v - 1e-6).value) / 2e-6, 5)
    }
  })
})

describe('density from quantiles', () => {
  it('is a normal density exactly', () => {
    const [mean, sd] = [-3, 0.02]
    const d = smooth(
      densityOf(
        quantiles((p) => mean + sd * normalQuantile(p)),
        'real',
      ),
    )
    const want = (x: number): number => normalDensity((x - mean) / sd) / sd
    expect(worst(d.at, want, mean - 5 * sd, mean + 5 * sd)).toBeLessThan(1e-9)
    const [lo, hi] = d.range(4)
    expect(lo).toBeCloseTo(mean - 4 * sd, 9)
    expect(hi).toBeCloseTo(mean + 4 * sd, 9)
  })
  it('is a log-normal density exactly for a variance', () => {
    const d = smooth(
      densityOf(
        quantiles((p) => Math.exp(1 + 0.5 * normalQuantile(p))),
        'positive',
      ),
    )
    const want = (x: number): number => normalDensity((Math.log(x) - 1) / 0.5) / (0.5 * x)
    expect(worst(d.at, want, 0.05, 20)).toBeLessThan(1e-9)
    expect(d.at(0)).toBe(0)
    expect(d.at(-1)).toBe(0)
  })
  it.each([
    [3, 0.04],
    [10, 0.02],
    [100, 0.01],
  ])('is an inverse gamma density of shape %d within %d of its peak', (shape, tolerance) => {
    // P(X <= x) = P(Poisson(rate / x) < shape) for an integer shape.
    const rate = shape
    const cdf = (x: number): number => {
      let term = Math.exp(-rate / x)
      let sum = 0
      for (let k = 0; k < shape; k++) {
        sum += term
        term *= rate / x / (k + 1)
      }
      return sum
    }
    let logGamma = 0
    for (let k = 2; k < shape; k++) logGamma += Math.log(k)
    const want = (x: number): number => Math.exp(shape * Math.log(rate) - logGamma - (shape + 1) * Math.log(x) - rate / x)
    const d = smooth(
      densityOf(
        quantiles((p) => solve(cdf, p, 1e-3, 100)),
        'positive',
      ),
    )
    const [lo, hi] = [solve(cdf, 0.0005, 1e-3, 100), solve(cdf, 0.9995, 1e-3, 100)]
    expect(worst(d.at, want, lo, hi)).toBeLessThan(tolerance)
  })
  it('has the mass that the quantiles say, and one in all', () => {
    const q = quantiles((p) => Math.exp(2 * normalQuantile(p)) + p) // skewed, no standard law
    const d = smooth(densityOf(q, 'real'))
    expect(integral(d.at, q['q25']!, q['q75']!)).toBeCloseTo(0.5, 4)
    expect(integral(d.at, q['q5']!, q['q95']!)).toBeCloseTo(0.9, 4)
    expect(integral(d.at, ...d.range(5), 400000)).toBeCloseTo(1, 3)
  })
  it('keeps phi between -1 and 1, the uniform prior within 0.05 of its height', () => {
    const d = smooth(
      densityOf(
        quantiles((p) => 2 * p - 1),
        supportOf('phi'),
      ),
    )
    expect(d.at(1.0001)).toBe(0)
    expect(d.at(-1)).toBe(0)
    expect(worst(d.at, () => 0.5, -0.9, 0.9)).toBeLessThan(0.05)
    expect(integral(d.at, -1, 1)).toBeCloseTo(1, 3)
  })
  it('has no curve for a flat prior, a point for a constant, and survives ties', () => {
    const flat = { ...quantiles(normalQuantile), 'q2.5': null }
    expect(densityOf(flat, 'real')).toBeNull()
    expect(
      densityOf(
        quantiles(() => 4),
        'real',
      ),
    ).toEqual({ point: 4 })
    expect(
      densityOf(
        quantiles(() => 0),
        'positive',
      ),
    ).toEqual({ point: 0 })
    expect(
      densityOf(
        quantiles(() => Infinity),
        'real',
      ),
    ).toBeNull()
    const tied = smooth(densityOf({ 'q2.5': 0, q5: 0, q25: 1, median: 1, q75: 2, q95: 3, 'q97.5': 3 }, 'real'))
    for (const y of sample(tied, ...tied.range(4), 999).y) expect(Number.isFinite(y) && y >= 0).toBe(true)
    expect(integral(tied.at, ...tied.range(5))).toBeCloseTo(1, 2)
  })
  it('knows the variables that are positive by nature', () => {
    for (const v of ['sigma2', 'tau2', 'sigma2_u', 'sigma2_u[shop]']) expect(supportOf(v)).toBe('positive')
    for (const v of ['beta[sigma2]', 'sigma2x', 'mu', 'u[tau2]', 'theta']) expect(supportOf(v)).toBe('real')
  })
})
