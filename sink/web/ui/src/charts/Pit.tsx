import { useMemo } from 'preact/hooks'
import { narrow } from '../components/narrow.ts'
import { count, percent } from '../format.ts'
import { pitHistogram } from './binomial.ts'
import { tickText, ticks } from './ticks.ts'
import './charts.css'

const height = 210
const edge = { left: 62, right: 8, top: 8, bottom: 34 }

/** Pit is the histogram of the probability integral transforms with the Monte Carlo band of a bin. */
export function Pit({ pit }: { pit: readonly number[] }) {
  const width = narrow.value ? 340 : 560 // as wide as its place, or its texts would shrink
  const histogram = useMemo(() => pitHistogram(pit), [pit])
  if (!histogram) return null
  const { counts, rows, expected, low, high, outside } = histogram
  const top = Math.max(high, ...counts) * 1.05
  const plot = { w: width - edge.left - edge.right, h: height - edge.top - edge.bottom }
  const y = (v: number) => edge.top + plot.h * (1 - v / top)
  const bar = plot.w / counts.length
  const marks = ticks(0, top, 4)
  const texts = tickText(marks)
  const summary =
    `Histogram of ${count(rows)} probability integral transforms in ${counts.length} bins. A calibrated model has about ${count(expected)} in each, ` +
    `99 % of bins between ${count(low)} and ${count(high)}; ${outside === 0 ? 'no bin is' : outside === 1 ? 'one bin is' : `${outside} bins are`} outside.`
  return (
    <figure class="chart">
      <svg class="svg-chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary}>
        {marks.map((v, i) => (
          <g key={v}>
            <line class="grid" x1={edge.left} x2={width - edge.right} y1={y(v)} y2={y(v)} />
            <text x={edge.left - 6} y={y(v) + 4} text-anchor="end">{texts[i]}</text>
          </g>
        ))}
        {counts.map((c, i) => {
          const off = c < low || c > high
          const x = edge.left + i * bar
          return (
            <g key={i}>
              <rect class={off ? 'bar off' : 'bar'} x={x + 0.75} width={Math.max(0.5, bar - 1.5)} y={y(c)} height={Math.max(0, y(0) - y(c))}>
                <title>{`${(i / counts.length).toFixed(3)} to ${((i + 1) / counts.length).toFixed(3)}: ${c} rows (${percent(c / rows)})`}</title>
              </rect>
              {off && <text class="off-mark" x={x + bar / 2} y={y(c) - 2} text-anchor="middle" aria-hidden="true">{c < low ? '▾' : '▴'}</text>}
            </g>
          )
        })}
        <rect class="mc" x={edge.left} width={plot.w} y={y(high)} height={Math.max(1, y(low) - y(high))} />
        <line class="mc-edge" x1={edge.left} x2={width - edge.right} y1={y(high)} y2={y(high)} />
        <line class="mc-edge" x1={edge.left} x2={width - edge.right} y1={y(low)} y2={y(low)} />
        <line class="ideal" x1={edge.left} x2={width - edge.right} y1={y(expected)} y2={y(expected)} />
        {[0, 0.25, 0.5, 0.75, 1].map((p) => (
          <text key={p} x={edge.left + p * plot.w} y={height - edge.bottom + 15} text-anchor={p === 0 ? 'start' : p === 1 ? 'end' : 'middle'}>{p}</text>
        ))}
        <text x={-edge.top - plot.h / 2} y={12} transform="rotate(-90)" text-anchor="middle">rows in a bin</text>
        <text x={edge.left + plot.w / 2} y={height - 4} text-anchor="middle">{narrow.value ? 'place in the predicted distribution' : 'place of the value in its predicted distribution'}</text>
      </svg>
      <figcaption class="muted">
        {count(rows)} rows in {counts.length} bins; the grey band holds 99 % of a bin’s counts under a calibrated model.{' '}
        {outside === 0 ? 'No bin is outside.' : `${outside} of ${counts.length} bins outside (marked ▴ ▾); chance alone puts ${(counts.length / 100).toFixed(1)} there.`}
      </figcaption>
    </figure>
  )
}
