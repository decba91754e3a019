// Axis ticks of the charts drawn as SVG.

/**
 * ticks are about so many round numbers (1, 2 or 5 times a power of ten apart)
 * within [lo, hi]. An empty or broken range has the tick of its middle or none.
 */
export function ticks(lo: number, hi: number, count: number): number[] {
  if (!Number.isFinite(lo) || !Number.isFinite(hi)) return []
  if (!(hi > lo)) return [lo]
  const step = roundStep((hi - lo) / Math.max(1, count))
  const out: number[] = []
  // Multiples of the step, not sums of it: 0.3, not 0.30000000000000004.
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9; k++) {
    out.push(places <= 100 ? Number((k * step).toFixed(places)) : k * step)
  }
  return out
}

function roundStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(raw))
  const ratio = raw / power
  return (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10) * power
}

/** tickText writes ticks with as many places as their distance needs. */
export function tickText(values: readonly number[]): string[] {
  if (values.length === 0) return []
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : Math.abs(values[0]!) || 1
  const largest = Math.max(...values.map(Math.abs))
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  if (places > 6 || largest >= 1e7) {
    return values.map((v) => (v === 0 ? '0' : String(Number(v.toPrecision(6))).replace(/-/g, '−')))
  }
  return values.map((v) => v.toFixed(places).replace('-', '−'))
}
