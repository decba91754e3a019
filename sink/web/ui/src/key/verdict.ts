import type { Calibration, Coverage } from '../api/types.ts'
import { binomialBand, pitHistogram } from '../charts/binomial.ts'
import { percent } from '../format.ts'

/**
 * verdict puts calibration into words: which intervals hold too few or too many rows,
 * beyond the Monte Carlo band of each, and on which side the rows lie that are outside.
 * A model may be right at 95 % and wrong in shape.
 */
export function verdict(c: Pick<Calibration, 'coverage' | 'pit'>): string {
  const all = [...c.coverage].sort((a, b) => a.nominal - b.nominal)
  const at = all.find((x) => x.nominal === 0.95)
  if (!at) return 'Too little was scored to judge.'
  const lead = judged(all)
  const sides = shape(c.pit)
  if (lead) return [lead, ...sides].join(' ')
  const holds = `${percent(at.share)} of the rows lay in their 95 % prediction intervals`
  if (sides.length > 0) return [`The intervals hold (${holds}), but the shape of the predictions is off.`, ...sides].join(' ')
  return `As it should be: ${holds}, as near to 95 % as chance has it${all.length > 1 ? '; the narrower intervals hold as well' : ''}.`
}

/** judged says what the intervals show together; '' where all hold. */
function judged(all: readonly Coverage[]): string {
  const narrow = all.filter((x) => x.share < x.low)
  const wide = all.filter((x) => x.share > x.high)
  if (narrow.length === 0 && wide.length === 0) return ''
  const inner = (list: readonly Coverage[], others: readonly Coverage[]) => list.every((x) => others.every((y) => x.nominal < y.nominal))
  const holding = all.filter((x) => !narrow.includes(x) && !wide.includes(x))
  const figures = `: ${all.map((x) => `${percent(x.share)} of the rows in the ${percent(x.nominal, 0)} interval`).join(', ')}.`
  if (narrow.length > 0 && wide.length > 0) {
    if (inner(wide, narrow)) return 'Too wide in the middle and too narrow at the ends' + figures
    if (inner(narrow, wide)) return 'Too narrow in the middle and too wide at the ends' + figures
    return 'Some intervals are too narrow and others too wide' + figures
  }
  const [off, what, whole] = narrow.length > 0
    ? [narrow, 'Too narrow', 'Too sure of itself, every interval is too narrow']
    : [wide, 'Too wide', 'Too cautious, every interval is too wide']
  if (holding.length === 0) return whole + figures
  if (inner(off, holding)) return `${what} in the middle, while the outer intervals hold` + figures
  if (inner(holding, off)) return `${what} at the ends, while the inner intervals hold` + figures
  return `${what} at ${off.map((x) => percent(x.nominal, 0)).join(' and ')}` + figures
}

/** shape says on which side of their predictions the rows lie too often, beyond chance; nothing where the histogram is flat. */
function shape(pit: readonly number[]): string[] {
  const histogram = pitHistogram(pit)
  if (!histogram) return []
  const { rows, counts, outside } = histogram
  const part = (n: number, of: number) => {
    const [low, high] = binomialBand(rows, of, 0.99)
    return { share: percent(n / rows), few: n < low, many: n > high }
  }
  const out: string[] = []
  // The outermost of 40 bins are what lies beyond a 95 % interval.
  const tail = 1 / pit.length
  const below = part(pit[0]!, tail)
  const above = part(pit[pit.length - 1]!, tail)
  const belongs = percent(tail)
  if (below.many && above.many) out.push(`Heavy tails on both sides: ${below.share} of the rows lay below their 95 % interval and ${above.share} above it, where ${belongs} belong on each.`)
  else if (above.many) out.push(`Heavy right tail: ${above.share} of the rows lay above their 95 % interval, where ${belongs} belong.`)
  else if (below.many) out.push(`Heavy left tail: ${below.share} of the rows lay below their 95 % interval, where ${belongs} belong.`)
  if (below.few && !above.few) out.push(`Hardly a row lay below its 95 % interval: ${below.share}, where ${belongs} belong.`)
  if (above.few && !below.few) out.push(`Hardly a row lay above its 95 % interval: ${above.share}, where ${belongs} belong.`)
  const upper = part(pit.slice(pit.length / 2).reduce((a, b) => a + b, 0), 0.5)
  if (upper.many || upper.few) out.push(`The predictions lean: ${upper.share} of the rows lay above the middle of their prediction, where half belong.`)
  // Of calibrated bins one in a hundred is outside; so many are outside by chance at most.
  const uneven = outside > binomialBand(counts.length, 0.01, 0.99)[1]
  if (out.length === 0 && uneven) out.push(`The PIT histogram is not flat: ${outside} of its ${counts.length} bins are beyond chance.`)
  return out
}
