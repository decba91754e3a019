// Monotone piecewise cubic interpolation.

/** Curve is a function with its derivative. */
export interface Curve {
  at(x: number): { value: number; slope: number }
}

/**
 * monotone interpolates the points (x, y), x strictly increasing, by cubic
 * Hermite pieces whose slopes (weighted harmonic means of the neighbouring
 * secants, Fritsch and Butland 1984) keep the curve monotone wherever the points are.
 * Outside it goes on along straight lines. Needs two points.
 */
export function monotone(x: readonly number[], y: readonly number[]): Curve {
  const last = x.length - 1
  const width: number[] = []
  const secant: number[] = []
  for (let i = 0; i < last; i++) {
    width.push(x[i + 1]! - x[i]!)
    secant.push((y[i + 1]! - y[i]!) / width[i]!)
  }
  const slope = x.map((_, i) => {
    if (i === 0 || i === last) return 0
    const [before, after] = [secant[i - 1]!, secant[i]!]
    if (before * after <= 0) return 0
    const [a, b] = [2 * width[i]! + width[i - 1]!, width[i]! + 2 * width[i - 1]!]
    return (a + b) / (a / before + b / after)
  })
  slope[0] = last === 1 ? secant[0]! : edge(secant[0]!, slope[1]!)
  slope[last] = last === 1 ? secant[0]! : edge(secant[last - 1]!, slope[last - 1]!)
  return {
    at(at) {
      if (!(at > x[0]!)) return { value: y[0]! + slope[0]! * (at - x[0]!), slope: slope[0]! }
      if (at >= x[last]!) return { value: y[last]! + slope[last]! * (at - x[last]!), slope: slope[last]! }
      let i = 0
      while (at >= x[i + 1]!) i++
      const h = width[i]!
      const s = (at - x[i]!) / h
      const [d0, d1, m] = [slope[i]!, slope[i + 1]!, secant[i]!]
      const [c2, c3] = [3 * m - 2 * d0 - d1, d0 + d1 - 2 * m]
      return { value: y[i]! + h * s * (d0 + s * (c2 + s * c3)), slope: d0 + s * (2 * c2 + s * 3 * c3) }
    },
  }
}

/**
 * edge is the slope at an end: the secant of the end piece is the geometric mean
 * of it and the slope at the other side of the piece, which never makes a long tail flat, and at
 * most three times the secant, which keeps the piece monotone.
 */
function edge(secant: number, inner: number): number {
  if (secant === 0) return 0
  const ratio = secant / inner
  return secant * (ratio >= 0 && ratio < 3 ? ratio : 3)
}
