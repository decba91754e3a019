import { useMemo, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { Help } from '../components/index.ts'
import { absolute, count, estimate, exact, visible, zone } from '../format.ts'
import { risings, type Rising } from '../key/risings.ts'
import type { Track } from '../key/series.ts'
import { modelPath } from '../api/client.ts'
import { Download } from '../download/Download.tsx'
import { variableGlob } from '../key/series.ts'
import { flagWords } from '../key/words.ts'
import { setQuery, useChoice, useRange } from '../router.ts'
import { colour } from '../theme.ts'
import { Choice, Swatch } from './legend.tsx'
import { BandsFigure, type Axis } from './figures.tsx'
import { axis, Plot, timeAxis, valueAxis } from './plot.tsx'
import { bandRange, thin } from './thin.ts'

type Range = 'recent' | 'all'

const limit = 2_000
/** Share of the newest points whose band sets the y range unless all is asked for. */
const newer = 0.9

/** Columns are a track as the chart draws it. */
function columns(track: Track, axis: Axis, zoom: [number, number] | null): { data: uPlot.AlignedData; index: number[] } {
  const all = track.moments.map((m) => (axis === 'time' ? m.time : m.t))
  let [from, to] = [0, all.length]
  if (zoom) {
    while (from < to - 1 && all[from + 1]! < zoom[0]) from++
    while (to > from + 1 && all[to - 2]! > zoom[1]) to--
  }
  const index = thin(from, to, limit, track.moments[0]?.t ?? 0)
  const column = (name: 'q2.5' | 'q25' | 'median' | 'q75' | 'q97.5') => index.map((i) => track.rows[i]![name])
  const data = [
    index.map((i) => all[i]!), column('q97.5'), column('q2.5'), column('q75'), column('q25'), column('median'),
  ]
  return { data: data as uPlot.AlignedData, index }
}

/** heightOf is the range of y. */
function heightOf(data: uPlot.AlignedData, whole: boolean): [number, number] {
  const [, high, low, , , median] = data as unknown as (number | null)[][]
  return bandRange(low ?? [], median ?? [], high ?? [], whole ? 1 : newer) ?? [0, 1]
}

interface View {
  zoom: [number, number] | null
  whole: boolean
  risings: readonly Rising[]
}

/** mark draws a line where flags rose, with a small flag at its top. */
function mark(u: uPlot, x: number) {
  const at = Math.round(u.valToPos(x, 'x', true))
  const { left, top, width, height } = u.bbox
  if (at < left || at > left + width) return
  const size = 7 * devicePixelRatio
  const { ctx } = u
  ctx.save()
  ctx.strokeStyle = ctx.fillStyle = colour('--warn')
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
  ctx.beginPath()
  ctx.moveTo(at, top)
  ctx.lineTo(at, top + height)
  ctx.stroke()
  ctx.beginPath()
  ctx.moveTo(at, top)
  ctx.lineTo(at + size, top + size / 2)
  ctx.lineTo(at, top + size)
  ctx.fill()
  ctx.restore()
}

function options(kind: Axis, title: string, state: View): Omit<uPlot.Options, 'width' | 'height'> {
  const edge = { width: 0.75, stroke: () => colour('--band-50'), points: { show: false } }
  return {
    scales: {
      x: {
        time: kind === 'time',
        distr: kind === 'log' ? 3 : 1,
        range: (_, min, max) => {
          if (state.zoom) return state.zoom
          return min === max ? [min - 0.5, max + 0.5] : [min, max]
        },
      },
      y: {
        range: (u) => heightOf(u.data, state.whole),
      },
    },
    axes: [
      kind === 'time' ? timeAxis(`time of the record, ${zone(Date.now())}`)
        : axis({ values: (_, ticks) => ticks.map((t) => (t !== null && Number.isInteger(t) ? count(t) : '')) }, kind === 'log' ? 'shards absorbed, log scale' : 'shards absorbed'),
      valueAxis({}, title),
    ],
    series: [
      {},
      edge,
      edge,
      { ...edge, width: 0 },
      { ...edge, width: 0 },
      { width: 2, stroke: () => colour('--median'), points: { show: (u) => (u.data[0]?.length ?? 0) < 2 } },
    ],
    bands: [
      { series: [1, 2], fill: () => colour('--band-95') },
      { series: [3, 4], fill: () => colour('--band-50') },
    ],
    hooks: { draw: [(u) => state.risings.forEach((r) => mark(u, kind === 'time' ? r.moment.time : r.moment.t))] },
  }
}

/** Bands shows a variable over the shards: the median with its 50 % and 95 % bands. */
export function Bands({ of, variable, unit = '', track, version, height = 300 }: {
  /** The key whose variable it is. */
  of: string
  variable: string
  /** '' where none is told. */
  unit?: string
  track: Track
  /** Grows with every change of the track, which is changed in place. */
  version: number
  height?: number
}) {
  const [kind] = useChoice<Axis>('axis', ['shard', 'log', 'time'])
  const [range, setRange] = useChoice<Range>('range', ['recent', 'all'])
  const whole = range === 'all'
  const [zoom, setZoom] = useRange('part')
  const [point, setPoint] = useState<number | null>(null)
  // The chart's ranges are asked for when it is drawn, after this object was set.
  const rose = useMemo(() => risings(track.moments), [track, version])
  const title = visible(variable) + (unit && `, ${unit}`)
  const state = useMemo<View>(() => ({ zoom, whole, risings: rose }), [kind, title])
  Object.assign(state, { zoom, whole, risings: rose })
  const drawn = useMemo(() => options(kind, title, state), [kind, title])
  const { data, index } = useMemo(() => columns(track, kind, zoom), [track, version, kind, zoom, whole])

  const at = index[point ?? -1] ?? track.moments.length - 1
  const row = track.rows[at]
  const moment = track.moments[at]
  const first = track.rows[0]
  if (!row || !moment || !first) return null
  const summary =
    `After ${count(moment.t)} shards the median is ${estimate(row.median, row)}, the 95 % band from ${estimate(row['q2.5'], row)} ` +
    `to ${estimate(row['q97.5'], row)}; at shard ${count(track.moments[0]!.t)} it was from ${estimate(first['q2.5'], first)} to ${estimate(first['q97.5'], first)}.`
  // A part of one axis is none of another.
  const choose = (to: Axis) => setQuery({ axis: to === 'shard' ? null : to, part: null })
  return (
    <div class="chart-stack">
      <div class="chart-head">
        <div class="legend">
          <span><Swatch colour="--median" />median</span>
          <span><Swatch colour="--band-50" band />50 %</span>
          <span><Swatch colour="--band-95" band />95 %<Help term="band" /></span>
        </div>
        <div class="row no-print">
          {zoom && <button type="button" class="quiet" onClick={() => setZoom(null)}>Show all</button>}
          <button type="button" class="quiet" aria-pressed={whole} onClick={() => setRange(whole ? 'recent' : 'all')}
            title="The first shards’ bands are often far wider than the rest; they are cut off unless the whole range is shown">
            {whole ? 'Recent range' : 'Whole range'}
          </button>
          <Choice label="Horizontal axis" chosen={kind} choose={choose} options={[['shard', 'shard'], ['log', 'log shard'], ['time', 'time']]} />
        </div>
      </div>
      <Plot label={`Bands of ${variable} over ${kind === 'time' ? 'time' : 'shards'}`} summary={summary}
        data={data} options={drawn} height={height} fill zoom={zoom} setZoom={setZoom} point={setPoint} />
      <p class="readout" aria-live="off">
        <span>shard <b>{count(moment.t)}</b></span>
        <span>{absolute(moment.time * 1000)}</span>
        <span title={exact(row.median)}>median <b>{estimate(row.median, row)}{unit && ` ${unit}`}</b></span>
        <span>50 % {estimate(row.q25, row)} to {estimate(row.q75, row)}</span>
        <span>95 % {estimate(row['q2.5'], row)} to {estimate(row['q97.5'], row)}</span>
      </p>
      <Risings list={rose} />
      <Download name={`${of}-${variable}`} arrow={modelPath(of, '/history', { limit: 10_000, variables: variableGlob(variable) })}
        figure={() => <BandsFigure title={title} kind={kind} columns={data as unknown as (number | null)[][]} y={heightOf(data, whole)} />}
        table={() => ({
          head: ['t', 'n', 'offset', 'time', 'variable', 'mean', 'sd', 'q2.5', 'q25', 'median', 'q75', 'q97.5', 'flags'],
          rows: track.moments.map((m, i) => {
            const r = track.rows[i]!
            return [m.t, m.n, m.offset, new Date(m.time * 1000).toISOString(), variable, r.mean, r.sd, r['q2.5'], r.q25, r.median, r.q75, r['q97.5'], m.flags.join(' ')]
          }),
        })} />
      <BandTable track={track} />
    </div>
  )
}

const shownRisings = 4

/** Risings says in words what the marks on the axis show: which flags rose, where and when. */
function Risings({ list }: { list: readonly Rising[] }) {
  if (list.length === 0) return null
  return (
    <p class="readout risings">
      <span><b class="rose" aria-hidden="true">⚑</b> rose{list.length > shownRisings ? `, newest ${shownRisings} of ${count(list.length)}` : ''}:</span>
      {list.slice(-shownRisings).map(({ moment, flags }) => (
        <span key={moment.offset}>{flags.map((f) => flagWords[f]).join(', ')} at shard <b>{count(moment.t)}</b>, {absolute(moment.time * 1000)}</span>
      ))}
    </p>
  )
}

/** BandTable says the same to screen readers, at about ten shards. */
function BandTable({ track }: { track: Track }) {
  const step = Math.max(1, Math.ceil(track.rows.length / 10))
  const shown = track.moments.map((_, i) => i).filter((i) => i % step === 0 || i === track.rows.length - 1)
  return (
    // A table is never narrower than its figures: what hides it is a box around it.
    <div class="visually-hidden">
      <table>
        <caption>Bands at some shards</caption>
        <thead><tr><th>shard</th><th>2.5 %</th><th>25 %</th><th>median</th><th>75 %</th><th>97.5 %</th></tr></thead>
        <tbody>
          {shown.map((i) => {
            const row = track.rows[i]!
            return (
              <tr key={track.moments[i]!.offset}>
                <th>{track.moments[i]!.t}</th>
                {(['q2.5', 'q25', 'median', 'q75', 'q97.5'] as const).map((q) => <td key={q}>{estimate(row[q], row)}</td>)}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
