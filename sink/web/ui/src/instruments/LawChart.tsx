import { useMemo } from 'preact/hooks'
import type { Row } from '../api/types.ts'
import { densityOf, sample } from '../charts/density.ts'
import { band, line, Sheet } from '../charts/Sheet.tsx'
import { estimate } from '../format.ts'

const reach = 3.5 // normal scores of the tails that are drawn
const steps = 240

/** LawChart draws the law of a number from its quantiles: dark 50 %, light 95 %, and where 0 is. */
export function LawChart({ name, row, height = 240 }: { name: string; row: Row; height?: number }) {
  const density = useMemo(() => densityOf(row, 'real'), [row])
  if (!density) return <p class="muted">No density: a quantile is not defined.</p>
  if (density.point !== null) return <p class="muted">All of the probability lies at {density.point}.</p>
  const [lo, hi] = density.range(reach)
  const { x, y } = sample(density, lo, hi, steps)
  const top = Math.max(...y) * 1.06 || 1
  const within = (from: number | null, to: number | null) => y.map((v, i) => (from !== null && to !== null && x[i]! >= from && x[i]! <= to ? v : null))
  const floor = (values: (number | null)[]) => values.map((v) => (v === null ? null : 0))
  const [outer, inner] = [within(row['q2.5'], row['q97.5']), within(row.q25, row.q75)]
  return (
    <Sheet label={`Density of ${name}`} height={height} x={{ lo, hi, title: name.length > 60 ? 'value of the contrast' : name }} y={{ lo: 0, hi: top, title: 'density' }}
      summary={`The median is ${estimate(row.median, row)}, with 95 % probability it is between ${estimate(row['q2.5'], row)} and ${estimate(row['q97.5'], row)}.`}>
      {(area) => (
        <>
          <path class="band-95" d={band(x, floor(outer), outer, area)} />
          <path class="band-50" d={band(x, floor(inner), inner, area)} />
          {lo < 0 && hi > 0 && <line class="zero" x1={area.x(0)} x2={area.x(0)} y1={area.top} y2={area.bottom} />}
          <path class="got" d={line(x, y, area)} />
          <line class="middle" x1={area.x(row.median!)} x2={area.x(row.median!)} y1={area.top} y2={area.bottom} />
        </>
      )}
    </Sheet>
  )
}
