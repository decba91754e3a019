import type { Calibration } from '../api/types.ts'
import { binomialBand, pitHistogram } from '../charts/binomial.ts'
import { percent } from '../format.ts'

/**
 * verdict puts calibration into words: first the 95 % coverage by its Monte Carlo
 * band, then whether the other intervals and the PIT histogram agree. A model may be right at 95 % and wrong in shape.
 */
export function verdict(c: Pick<Calibration, 'coverage' | 'pit'>): string {
  const at = c.coverage.find((x) => x.nominal === 0.95)
  if (!at) return 'Too little was scored to judge.'
  const share = percent(at.share)
  if (at.share < at.low) return `Too sure of itself: ${share} of the rows lay in their 95 % prediction intervals, less than chance explains.`
  if (at.share > at.high) return `Too cautious: ${share} of the rows lay in their 95 % prediction intervals, more than chance explains.`
  const off = c.coverage.filter((x) => x.share < x.low || x.share > x.high)
  const histogram = pitHistogram(c.pit)
  // Of calibrated bins one in a hundred is outside; so many are outside by chance at most.
  const shape = histogram !== null && histogram.outside > binomialBand(histogram.counts.length, 0.01, 0.99)[1]
  if (off.length === 0 && !shape) return `As it should be: ${share} of the rows lay in their 95 % prediction intervals, as near to 95 % as chance has it.`
  const others = off.map((x) => `${percent(x.share)} in the ${percent(x.nominal, 0)} interval`).join(', ')
  return `The 95 % intervals hold (${share}), but the shape of the predictions is off${others ? `: ${others}` : ''}${shape ? `${others ? ';' : ':'} the PIT histogram is not flat` : ''}.`
}
