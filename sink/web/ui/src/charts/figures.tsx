import type { Row } from '../api/types.ts'
import { absolute, count, shorten } from '../format.ts'
import { band, line, range, Sheet, type Area, type Scale } from './Sheet.tsx'

// Charts as pictures to keep: what is painted on the page, or made of its elements, drawn as SVG.

type Values = readonly (number | null)[]

/** Axis is how shards lie along a chart: by number, by the logarithm of it, or by time. */
export type Axis = 'shard' | 'log' | 'time'

const held = (values: Values, { lo, hi }: Scale) => values.map((v) => (v === null ? null : Math.max(lo, Math.min(hi, v))))

/** alongOf is the scale of shards from lo to hi, and where each x lies on it. */
function alongOf(kind: Axis, x: readonly number[], counted = 'shards absorbed'): { scale: Scale; x: number[] } {
  const [first, last] = [x[0] ?? 0, x[x.length - 1] ?? 1]
  const ends = (lo: number, hi: number): [number, number] => (lo === hi ? [lo - 0.5, hi + 0.5] : [lo, hi])
  if (kind === 'log') {
    const [lo, hi] = ends(Math.log10(Math.max(1, first)), Math.log10(Math.max(1, last)))
    const marks = [0, 1, 2, 3, 4, 5, 6].flatMap((e) => [1, 2, 5].map((m) => m * 10 ** e)).filter((v) => Math.log10(v) >= lo && Math.log10(v) <= hi)
    return { scale: { lo, hi, title: counted + ', log scale', marks: marks.map((v) => [Math.log10(v), count(v)] as const) }, x: x.map((v) => Math.log10(Math.max(1, v))) }
  }
  const [lo, hi] = ends(first, last)
  if (kind === 'shard') return { scale: { lo, hi, title: counted }, x: [...x] }
  const marks = Array.from({ length: 4 }, (_, i) => lo + ((hi - lo) * (i + 0.5)) / 4)
  return { scale: { lo, hi, title: 'time of the record', marks: marks.map((v) => [v, absolute(v * 1000).slice(5, 16)] as const) }, x: [...x] }
}

/** BandsFigure is a variable over the shards, or what else is counted: columns are x, then the 97.5, 2.5, 75, 25 and 50 % quantiles. */
export function BandsFigure({ title, kind, columns, y, counted }: { title: string; kind: Axis; columns: readonly Values[]; y: [number, number]; counted?: string | undefined }) {
  const { scale, x } = alongOf(kind, columns[0] as readonly number[], counted)
  const vertical = { lo: y[0], hi: y[1], title }
  const [high, low, upper, lower, median] = columns.slice(1).map((c) => held(c, vertical)) as unknown as [Values, Values, Values, Values, Values]
  return (
    <Sheet label={title} summary="" height={360} x={scale} y={vertical}>
      {(area) => (
        <>
          <path class="band-95" d={band(x, low, high, area)} />
          <path class="band-50" d={band(x, lower, upper, area)} />
          <path class="middle" d={line(x, median, area)} />
        </>
      )}
    </Sheet>
  )
}

/** DensityFigure is a density beside the prior and one of before: columns are x and the three heights. */
export function DensityFigure({ title, columns }: { title: string; columns: readonly Values[] }) {
  const x = columns[0] as readonly number[]
  const [now, prior, earlier] = columns.slice(1) as [Values, Values, Values]
  const y = { lo: 0, hi: Math.max(...[...now, ...prior, ...earlier].map((v) => v ?? 0)) * 1.08 || 1, title: 'density' }
  return (
    <Sheet label={title} summary="" height={320} x={{ lo: x[0] ?? 0, hi: x[x.length - 1] ?? 1, title }} y={y}>
      {(area) => (
        <>
          <path class="band-95" d={band(x, now.map((v) => (v === null ? null : 0)), now, area)} />
          <path class="curve prior" d={line(x, prior, area)} />
          <path class="curve earlier" d={line(x, earlier, area)} />
          <path class="curve now" d={line(x, now, area)} />
        </>
      )}
    </Sheet>
  )
}

/** ScoresFigure is a score of each shard as dots, and its rolling mean: columns are x, the scores and the means. */
export function ScoresFigure({ title, columns }: { title: string; columns: readonly Values[] }) {
  const { scale, x } = alongOf('shard', columns[0] as readonly number[])
  const [each, mean] = columns.slice(1) as [Values, Values]
  const [lo, hi] = range([...each, ...mean])
  return (
    <Sheet label={title} summary="" height={300} x={scale} y={{ lo, hi, title }}>
      {(area) => (
        <>
          {each.map((v, i) => v !== null && <circle key={i} class="each" cx={area.x(x[i]!)} cy={area.y(v)} r={2} />)}
          <path class="middle" d={line(x, mean, area)} />
        </>
      )}
    </Sheet>
  )
}

/** As many lines of a forest as a picture has; the table has all. */
const mostLines = 200

/** ForestFigure is intervals one below the other: 95 % thin, 50 % thick, the median a ring. */
export function ForestFigure({ title, lines, lo, hi }: { title: string; lines: readonly { name: string; row: Row }[]; lo: number; hi: number }) {
  const shown = lines.slice(0, mostLines)
  const more = lines.length > shown.length ? `, the first ${count(shown.length)} of ${count(lines.length)}` : ''
  const marks = shown.map((l, i) => [-i, shorten(l.name, 28)] as const)
  return (
    <Sheet label={title} summary="" height={60 + 22 * shown.length} x={{ lo, hi, title: title + more }} y={{ lo: 0.5 - shown.length, hi: 0.5, title: '', marks }}>
      {(area) => (
        <>
          {lo < 0 && hi > 0 && <line class="zero" x1={area.x(0)} x2={area.x(0)} y1={area.top} y2={area.bottom} />}
          {shown.map(({ name, row }, i) => <Line key={name} row={row} y={area.y(-i)} lo={lo} hi={hi} area={area} />)}
        </>
      )}
    </Sheet>
  )
}

function Line({ row, y, lo, hi, area }: { row: Row; y: number; lo: number; hi: number; area: Area }) {
  const part = (a: number | null, b: number | null, name: string) => a !== null && b !== null && b >= lo && a <= hi && (
    <line class={name} x1={area.x(Math.max(lo, a))} x2={area.x(Math.min(hi, b))} y1={y} y2={y} />
  )
  return (
    <>
      {part(row['q2.5'], row['q97.5'], 'outer')}
      {part(row.q25, row.q75, 'inner')}
      {row.median !== null && row.median >= lo && row.median <= hi && <circle class="median" cx={area.x(row.median)} cy={y} r={4} />}
    </>
  )
}
