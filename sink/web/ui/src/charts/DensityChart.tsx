import { useMemo, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { Row } from '../api/types.ts'
import { Help } from '../components/index.ts'
import { count, estimate, visible } from '../format.ts'
import type { Track } from '../key/series.ts'
import { useChoice, useRange, useText } from '../router.ts'
import { colour } from '../theme.ts'
import { densityOf, sample, supportOf, type Density } from './density.ts'
import { Download } from '../download/Download.tsx'
import { DensityFigure } from './figures.tsx'
import { dashes, Swatch } from './legend.tsx'
import { axis, numbers, Plot } from './plot.tsx'
import { nearest } from './Sheet.tsx'

const points = 301
/** Normal scores that the drawn range reaches to either side. */
const reach = 3.4
/** How much wider than now's range the chart may become for what is shown beside it. */
const widest = 8

const options = (title: string, marks: { lines: readonly number[] }): Omit<uPlot.Options, 'width' | 'height'> => ({
  // Between pixels: at whole ones a smooth curve has steps.
  pxAlign: 0,
  scales: { x: { time: false, range: (_, min, max) => [min, max] }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
  axes: [axis({ values: numbers }, title), axis({ show: false })],
  series: [
    {},
    { width: 2.25, stroke: () => colour('--series-1'), fill: () => colour('--band-95'), points: { show: false } },
    { width: 2, stroke: () => colour('--prior'), dash: [...dashes.dashed], points: { show: false } },
    { width: 2.25, stroke: () => colour('--series-2'), dash: [...dashes.dotted], points: { show: false } },
  ],
  hooks: {
    // A value without spread has no curve: a line stands for it.
    draw: [
      (u) => {
        for (const v of marks.lines) {
          const x = u.valToPos(v, 'x', true)
          u.ctx.fillStyle = colour('--series-1')
          u.ctx.fillRect(x - 1, u.bbox.top, 2, u.bbox.height)
        }
      },
    ],
  },
})

interface Shown {
  now: Density
  prior: Density | null
  earlier: Density | null
}

function curves({ now, prior, earlier }: Shown, fitPrior: boolean): uPlot.AlignedData {
  const span = (d: Density): [number, number] => (d.point === null ? d.range(reach) : [d.point - Math.abs(d.point || 1) / 2, d.point + Math.abs(d.point || 1) / 2])
  let [lo, hi] = span(now)
  const [middle, width] = [(lo + hi) / 2, hi - lo]
  const stretch = (d: Density | null, most: number) => {
    if (!d || d.point !== null) return
    const [a, b] = d.range(reach)
    lo = Math.min(lo, Math.max(a, middle - (width * most) / 2))
    hi = Math.max(hi, Math.min(b, middle + (width * most) / 2))
  }
  stretch(earlier, widest)
  if (fitPrior && prior?.point === null) {
    // Not to its last tail: a variance's prior may reach a thousand times as far.
    const [a, b] = prior.range(1.5)
    lo = Math.min(lo, a)
    hi = Math.max(hi, b)
  }
  const x = sample(now, lo, hi, points).x
  const y = (d: Density | null) => (d ? sample(d, lo, hi, points).y : x.map(() => null))
  return [x, y(now), y(prior), y(earlier)] as uPlot.AlignedData
}

/** DensityChart shows a variable's posterior now against its prior and an earlier moment. */
export function DensityChart({ of, variable, unit = '', row, prior, track, version, height = 230 }: {
  /** The key whose variable it is. */
  of: string
  variable: string
  /** '' where none is told. */
  unit?: string
  row: Row
  prior: Row | undefined
  track: Track | undefined
  /** Grows with every change of the track, which is changed in place. */
  version: number
  height?: number
}) {
  const [priorShown, setPriorShown] = useChoice('prior', ['shown', 'fitted', 'none'])
  const withPrior = priorShown !== 'none'
  const fitPrior = priorShown === 'fitted'
  const [earlierShown, setEarlierShown] = useChoice('earlier', ['shown', 'none'])
  const withEarlier = earlierShown === 'shown'
  const [after, setAfter] = useText('after', 16)
  const [zoom, setZoom] = useRange('density')
  const [point, setPoint] = useState<number | null>(null)
  const kept = track?.rows.length ?? 0
  // Until the slider is moved, a quarter of the way. A shard is told by its number: old ones are let go.
  const at = Math.min(Math.max(0, kept - 1), /^\d+$/.test(after) && track ? nearest(track.moments.map((m) => m.t), Number(after)) : Math.floor(kept / 4))
  const earlierRow = kept > 1 ? track!.rows[at] : undefined
  const earlierT = track?.moments[at]?.t

  const support = supportOf(variable)
  const shown = useMemo<Shown | null>(() => {
    const now = densityOf(row, support)
    if (!now) return null
    return { now, prior: prior ? densityOf(prior, support) : null, earlier: earlierRow ? densityOf(earlierRow, support) : null }
  }, [row, prior, earlierRow, support, version])
  const drawn = useMemo<uPlot.AlignedData>(() => {
    if (!shown) return [[], [], [], []]
    return curves({ now: shown.now, prior: withPrior ? shown.prior : null, earlier: withEarlier ? shown.earlier : null }, withPrior && fitPrior)
  }, [shown, withPrior, withEarlier, fitPrior])
  const marks = useMemo(() => ({ lines: [] as number[] }), [])
  marks.lines = shown?.now.point != null ? [shown.now.point] : []
  const view = useMemo(() => ({ zoom }), [])
  view.zoom = zoom
  const title = visible(variable) + (unit && `, ${unit}`)
  const built = useMemo(() => {
    const o = options(title, marks)
    o.scales = { ...o.scales, x: { time: false, range: (_, min, max) => view.zoom ?? (min === max ? [min - 1, max + 1] : [min, max]) } }
    return o
  }, [title])
  // A new object makes the chart look at its ranges again.
  const data = useMemo<uPlot.AlignedData>(() => [...drawn] as unknown as uPlot.AlignedData, [drawn, zoom])

  if (!shown) return <p class="muted">No density: a quantile of {variable} is not defined.</p>
  const flat = prior !== undefined && shown.prior === null
  const summary =
    `Now the median is ${estimate(row.median, row)} with 95 % between ${estimate(row['q2.5'], row)} and ${estimate(row['q97.5'], row)}. ` +
    (shown.prior && prior ? `The prior has 95 % between ${estimate(prior['q2.5'], prior)} and ${estimate(prior['q97.5'], prior)}. ` : '') +
    (earlierRow ? `After ${count(earlierT)} shards it was between ${estimate(earlierRow['q2.5'], earlierRow)} and ${estimate(earlierRow['q97.5'], earlierRow)}.` : '')
  const x = point !== null ? (data[0] as number[])[point] : undefined
  return (
    <div class="chart-stack">
      <div class="chart-head">
        <div class="legend">
          <span><Swatch colour="--series-1" />now</span>
          <label>
            <input type="checkbox" checked={withPrior && shown.prior !== null} disabled={shown.prior === null} onChange={(e) => setPriorShown(e.currentTarget.checked ? 'shown' : 'none')} />
            <Swatch colour="--prior" dash="dashed" />{flat ? 'prior: flat, no curve' : prior ? 'prior' : 'prior: not given'}<Help term="prior" />
          </label>
          {earlierRow && (
            <label>
              <input type="checkbox" checked={withEarlier} onChange={(e) => setEarlierShown(e.currentTarget.checked ? 'shown' : 'none')} />
              <Swatch colour="--series-2" dash="dotted" />after {count(earlierT)} shards
            </label>
          )}
        </div>
        <div class="row no-print">
          {zoom && <button type="button" class="quiet" onClick={() => setZoom(null)}>Show all</button>}
          {shown.prior && withPrior && (
            <button type="button" class="quiet" aria-pressed={fitPrior} onClick={() => setPriorShown(fitPrior ? 'shown' : 'fitted')}>{fitPrior ? 'Fit posterior' : 'Fit prior'}</button>
          )}
        </div>
      </div>
      <Plot label={`Density of ${variable}`} summary={summary} data={data} options={built} height={height} fill zoom={zoom} setZoom={setZoom} point={setPoint} />
      <p class="readout">
        {x !== undefined ? (
          <>
            <span>at <b>{estimate(x, row)}</b></span>
            {([['now', 1], ['prior', 2], ['earlier', 3]] as const).map(([name, i]) => {
              const y = (data[i] as (number | null)[])[point!]
              return y == null ? null : <span key={name}>{name} {Number(y.toPrecision(3))}</span>
            })}
          </>
        ) : (
          'Drawn from the published quantiles.'
        )}
      </p>
      {kept > 1 && (
        <label class="moment no-print">
          <span class="muted">Compare with shard {count(earlierT)}</span>
          <input type="range" min={0} max={kept - 1} value={at} onInput={(e) => setAfter(String(track!.moments[Number(e.currentTarget.value)]?.t ?? ''))}
            aria-valuetext={`shard ${earlierT}`} />
        </label>
      )}
      <Download name={`${of}-${variable}-density`} figure={() => <DensityFigure title={title} columns={drawn as unknown as (number | null)[][]} />}
        table={() => ({ head: ['value', 'now', 'prior', earlierT === undefined ? 'earlier' : `after ${earlierT} shards`], rows: (drawn[0] as number[]).map((v, i) => [v, ...[1, 2, 3].map((c) => (drawn[c] as (number | null)[])[i] ?? null)]) })} />
    </div>
  )
}
