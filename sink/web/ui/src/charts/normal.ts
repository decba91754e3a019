// The standard normal law: density, distribution function and quantiles.

const rootTwoPi = Math.sqrt(2 * Math.PI)

/** normalDensity is the standard normal density at z. */
export function normalDensity(z: number): number {
  return Math.exp(-0.5 * z * z) / rootTwoPi
}

/**
 * normalCDF is the probability below z, to about 1e-14 relative in the lower
 * tail: a Taylor series in the middle, a continued fraction of Mills' ratio outside.
 */
export function normalCDF(z: number): number {
  if (z > 0) return 1 - normalCDF(-z)
  if (z > -2.5) {
    let term = z
    let sum = z
    for (let k = 3; Math.abs(term) > 1e-18 && k < 200; k += 2) {
      term *= (z * z) / k
      sum += term
    }
    return 0.5 + sum * normalDensity(z)
  }
  let tail = 0
  for (let k = 120; k > 0; k--) tail = k / (-z + tail)
  return normalDensity(z) / (-z + tail)
}

/** normalQuantile is the z with probability p below it; infinite at 0 and 1. */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) return NaN
  if (p === 0) return -Infinity
  if (p > 0.5) return p === 1 ? Infinity : -normalQuantile(1 - p)
  // Abramowitz and Stegun 26.2.23 to start, Halley's steps to the last digit.
  const s = Math.sqrt(-2 * Math.log(p))
  let z = (2.515517 + s * (0.802853 + s * 0.010328)) / (1 + s * (1.432788 + s * (0.189269 + s * 0.001308))) - s
  for (let i = 0; i < 3; i++) {
    const step = (normalCDF(z) - p) / normalDensity(z)
    z -= step / (1 + 0.5 * z * step)
  }
  return z
}
