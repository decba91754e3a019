import type { Coverage } from '../api/types.ts'
import { narrow } from '../components/narrow.ts'
import { exact, percent } from '../format.ts'
import { tickText, ticks } from './ticks.ts'
import './charts.css'

const wide = { w: 560, row: 40, left: 118, right: 86, top: 14, bottom: 34 }

/** CoveragePlot shows the share of rows inside each central interval against what it should be, with its Monte Carlo band. */
export function CoveragePlot({ coverage }: { coverage: readonly Coverage[] }) {
  if (coverage.length === 0) return null
  const size = narrow.value ? { ...wide, w: 340, left: 58, right: 72 } : wide // as wide as its place, or its texts would shrink
  const off = (c: Coverage) => c.share < c.low || c.share > c.high
  // Drawn as the difference: with many rows the band is too narrow to see on a scale of 0 to 1.
  const most = Math.max(0.002, ...coverage.flatMap((c) => [c.share, c.low, c.high].map((v) => Math.abs(v - c.nominal)))) * 1.12
  const x = (difference: number) => size.left + ((difference + most) / (2 * most)) * (size.w - size.left - size.right)
  const height = size.top + size.row * coverage.length + size.bottom
  const bottom = height - size.bottom
  const marks = ticks(-most * 100, most * 100, 5)
  const texts = tickText(marks)
  const summary = coverage
    .map((c) => `${percent(c.share)} of rows inside the ${percent(c.nominal, 0)} interval, Monte Carlo band ${percent(c.low)} to ${percent(c.high)}${off(c) ? ', outside it' : ''}`)
    .join('; ')
  return (
    <figure class="chart">
      <svg class="svg-chart" viewBox={`0 0 ${size.w} ${height}`} role="img" aria-label={`Coverage: ${summary}`}>
        {marks.map((m, i) => (
          <g key={m}>
            <line class={m === 0 ? 'ideal' : 'grid'} x1={x(m / 100)} x2={x(m / 100)} y1={size.top - 6} y2={bottom} />
            <text x={x(m / 100)} y={bottom + 15} text-anchor="middle">{m > 0 ? '+' : ''}{texts[i]}</text>
          </g>
        ))}
        {coverage.map((c, i) => {
          const y = size.top + size.row * (i + 0.5)
          const at = x(c.share - c.nominal)
          return (
            <g key={c.nominal}>
              <text x={size.left - 12} y={y + 4} text-anchor="end">{percent(c.nominal, 0)}{narrow.value ? '' : ' interval'}</text>
              <rect class="mc" x={x(c.low - c.nominal)} width={Math.max(2, x(c.high) - x(c.low))} y={y - 11} height={22} rx={2} />
              {off(c) ? (
                <rect class="share off" x={at - 5} y={y - 5} width={10} height={10} transform={`rotate(45 ${at} ${y})`} />
              ) : (
                <circle class="share" cx={at} cy={y} r={5.5} />
              )}
              <text x={size.w - size.right + 14} y={y + 4} data-value={c.share}>
                {percent(c.share)}{off(c) ? (c.share < c.low ? ' ▾' : ' ▴') : ''}
                <title>{exact(c.share)}</title>
              </text>
            </g>
          )
        })}
        <text x={(size.left + size.w - size.right) / 2} y={height - 4} text-anchor="middle">{narrow.value ? 'inside minus nominal, percentage points' : 'share of rows inside minus nominal, percentage points'}</text>
      </svg>
      <figcaption class="muted">
        Line at 0: as nominal. Grey: where 99 % of such shares of a calibrated model lie.{' '}
        {coverage.some(off) ? 'Diamonds lie outside: ▾ too narrow, ▴ too wide.' : 'All shares lie inside.'}
      </figcaption>
    </figure>
  )
}
