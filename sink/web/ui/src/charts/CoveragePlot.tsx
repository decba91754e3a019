import type { Coverage } from '../api/types.ts'
import { exact, percent } from '../format.ts'

const size = { w: 560, h: 210, row: 40, left: 118, right: 86, top: 14, bottom: 34 }

/** CoveragePlot shows the share of rows inside each central interval against what it should be, with its Monte Carlo band. */
export function CoveragePlot({ coverage }: { coverage: readonly Coverage[] }) {
  if (coverage.length === 0) return null
  const off = (c: Coverage) => c.share < c.low || c.share > c.high
  const from = Math.max(0, Math.min(0.4, ...coverage.map((c) => Math.min(c.share, c.low) - 0.03)))
  const x = (share: number) => size.left + ((share - from) / (1 - from)) * (size.w - size.left - size.right)
  const height = size.top + size.row * coverage.length + size.bottom
  const bottom = height - size.bottom
  const marks = [0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1].filter((m) => m >= from)
  const summary = coverage
    .map((c) => `${percent(c.share)} of rows inside the ${percent(c.nominal, 0)} interval, Monte Carlo band ${percent(c.low)} to ${percent(c.high)}${off(c) ? ', outside it' : ''}`)
    .join('; ')
  return (
    <figure class="chart">
      <svg class="svg-chart" viewBox={`0 0 ${size.w} ${height}`} role="img" aria-label={`Coverage: ${summary}`}>
        {marks.map((m) => (
          <g key={m}>
            <line class="grid" x1={x(m)} x2={x(m)} y1={size.top - 6} y2={bottom} />
            <text x={x(m)} y={bottom + 15} text-anchor="middle">{percent(m, 0)}</text>
          </g>
        ))}
        {coverage.map((c, i) => {
          const y = size.top + size.row * (i + 0.5)
          return (
            <g key={c.nominal}>
              <text x={size.left - 12} y={y + 4} text-anchor="end">{percent(c.nominal, 0)} interval</text>
              <rect class="mc" x={x(c.low)} width={Math.max(2, x(c.high) - x(c.low))} y={y - 11} height={22} rx={2} />
              <line class="ideal" x1={x(c.nominal)} x2={x(c.nominal)} y1={y - 14} y2={y + 14} />
              {off(c) ? (
                <rect class="dot off" x={x(c.share) - 5} y={y - 5} width={10} height={10} transform={`rotate(45 ${x(c.share)} ${y})`} />
              ) : (
                <circle class="dot" cx={x(c.share)} cy={y} r={5.5} />
              )}
              <text x={size.w - size.right + 14} y={y + 4} data-value={c.share}>
                {percent(c.share)}{off(c) ? (c.share < c.low ? ' ▾' : ' ▴') : ''}
                <title>{exact(c.share)}</title>
              </text>
            </g>
          )
        })}
        <text x={(size.left + size.w - size.right) / 2} y={height - 4} text-anchor="middle">share of rows inside</text>
      </svg>
      <figcaption class="muted">
        Line: nominal. Grey: where 99 % of such shares of a calibrated model lie.{' '}
        {coverage.some(off) ? 'Diamonds lie outside: ▾ too narrow, ▴ too wide.' : 'All shares lie inside.'}
      </figcaption>
    </figure>
  )
}
