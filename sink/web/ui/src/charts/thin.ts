// Which points of a long series are drawn.

/**
 * thin is the indices of [from, to) to draw, at most limit and the last one:
 * every so many, the stride a power of two and counted from origin, so that a point that is appended
 * (or an old one dropped, origin then grows) does not move the others.
 */
export function thin(from: number, to: number, limit: number, origin = 0): number[] {
  const count = to - from
  if (count <= 0) return []
  let stride = 1
  while (count / stride > limit - 2) stride *= 2
  const out: number[] = []
  for (let i = from; i < to; i++) {
    if ((i + origin) % stride === 0 || i === to - 1) out.push(i)
  }
  return out
}

/**
 * bandRange is the y range that shows the newer part of a band: all medians, and the
 * 95 % band of the newest share of the points. The first shards' bands are often a hundred times wider.
 */
export function bandRange(
  low: readonly (number | null)[],
  median: readonly (number | null)[],
  high: readonly (number | null)[],
  share: number,
): [number, number] | null {
  let lo = Infinity
  let hi = -Infinity
  const take = (v: number | null | undefined): void => {
    if (v === null || v === undefined || !Number.isFinite(v)) return
    lo = Math.min(lo, v)
    hi = Math.max(hi, v)
  }
  const first = Math.min(median.length - 1, Math.floor(median.length * (1 - share)))
  for (let i = 0; i < median.length; i++) {
    if (share >= 1 || i >= first / 4) take(median[i])
    if (i < first) continue
    take(low[i])
    take(high[i])
  }
  if (!(hi >= lo)) return null
  const pad = (hi - lo) * 0.06 || Math.abs(hi) * 0.05 || 1
  return [lo - pad, hi + pad]
}

/** rolling is the mean of the values over the last so many, weighted; null where no weight is. */
export function rolling(values: readonly (number | null)[], weights: readonly number[], window: number): (number | null)[] {
  const out: (number | null)[] = []
  for (let i = 0; i < values.length; i++) {
    let sum = 0
    let weight = 0
    for (let j = Math.max(0, i - window + 1); j <= i; j++) {
      const v = values[j]
      if (v === null || v === undefined || !Number.isFinite(v) || !(weights[j]! > 0)) continue
      sum += v * weights[j]!
      weight += weights[j]!
    }
    out.push(weight > 0 ? sum / weight : null)
  }
  return out
}
