import { useMemo, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { Help, type TermName } from '../components/index.ts'
import { count, exact, significant } from '../format.ts'
import type { Moment } from '../key/series.ts'
import { useChoice, useRange } from '../router.ts'
import { colour } from '../theme.ts'
import { Download } from '../download/Download.tsx'
import { ScoresFigure } from './figures.tsx'
import { Choice, Swatch } from './legend.tsx'
import { axis, Plot, valueAxis } from './plot.tsx'
import { rolling, thin } from './thin.ts'

type Score = 'log_density' | 'rmse' | 'coverage95'

const names: Record<Score, { title: string; term: TermName }> = {
  log_density: { title: 'log density', term: 'logDensity' },
  rmse: { title: 'RMSE', term: 'rmse' },
  coverage95: { title: 'coverage', term: 'coverage' },
}

/** Scores shows how well each shard was predicted before it was absorbed, and a rolling mean weighted by rows. */
export function Scores({ of, moments, version, unit = '' }: {
  /** The key whose scores they are. */
  of: string
  moments: readonly Moment[]
  version: number
  /** Of the response, '' where none is told. */
  unit?: string
}) {
  const [score, setScore] = useChoice<Score>('score', ['log_density', 'rmse', 'coverage95'])
  const [zoom, setZoom] = useRange('scored')
  const [point, setPoint] = useState<number | null>(null)
  const window = Math.max(5, Math.round(moments.length / 20))
  const columns = useMemo(() => {
    const scored = moments.filter((m) => m.score[score] !== null && m.score.rows > 0)
    const values = scored.map((m) => m.score[score])
    const rows = scored.map((m) => m.score.rows)
    // The mean of squares is what adds up over rows.
    const mean = score === 'rmse'
      ? rolling(values.map((v) => (v === null ? null : v * v)), rows, window).map((v) => (v === null ? null : Math.sqrt(v)))
      : rolling(values, rows, window)
    return { t: scored.map((m) => m.t), values, mean, rows }
  }, [moments, version, score])
  const view = useMemo(() => ({ zoom }), [])
  view.zoom = zoom
  const options = useMemo<Omit<uPlot.Options, 'width' | 'height'>>(() => ({
    scales: { x: { time: false, range: (_, min, max) => view.zoom ?? (min === max ? [min - 0.5, max + 0.5] : [min, max]) } },
    axes: [axis({ values: (_, ticks) => ticks.map((t) => (t !== null && Number.isInteger(t) ? count(t) : '')) }, 'shards absorbed'), valueAxis({}, names[score].title + (score === 'rmse' && unit ? `, ${unit}` : ''))],
    series: [
      {},
      { width: 0, stroke: () => colour('--series-6'), paths: () => null, points: { show: true, size: 4, width: 0, fill: () => colour('--series-6'), stroke: () => colour('--series-6') } },
      { width: 2.25, stroke: () => colour('--median'), points: { show: false } },
    ],
  }), [score, unit])
  const index = useMemo(() => {
    let [from, to] = [0, columns.t.length]
    if (zoom) {
      while (from < to - 1 && columns.t[from + 1]! < zoom[0]) from++
      while (to > from + 1 && columns.t[to - 2]! > zoom[1]) to--
    }
    return thin(from, to, 2_000, columns.t[0] ?? 0)
  }, [columns, zoom])
  const data = useMemo<uPlot.AlignedData>(
    () => [index.map((i) => columns.t[i]!), index.map((i) => columns.values[i]!), index.map((i) => columns.mean[i]!)], [columns, index])
  if (columns.t.length === 0) return <p class="muted">No shard of the kept history was scored: the first is not, nor are rows without a response.</p>
  const at = index[point ?? -1] ?? columns.t.length - 1
  const { title, term } = names[score]
  return (
    <div class="chart-stack">
      <div class="chart-head">
        <div class="legend">
          <span><svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="3" fill="var(--series-6)" /></svg>each shard<Help term={term} /></span>
          <span><Swatch colour="--median" />mean of the last {window} shards, by rows</span>
        </div>
        <div class="row no-print">
          {zoom && <button type="button" class="quiet" onClick={() => setZoom(null)}>Show all</button>}
          <Choice label="Score" chosen={score} choose={setScore}
            options={(Object.keys(names) as Score[]).map((s) => [s, names[s].title] as const)} />
        </div>
      </div>
      <Plot label={`Prequential ${title} over shards`} height={210} data={data} options={options} zoom={zoom} setZoom={setZoom} point={setPoint}
        summary={`At shard ${count(columns.t.at(-1))} the rolling mean is ${significant(columns.mean.at(-1), 4)}; at shard ${count(columns.t[0])} it was ${significant(columns.mean[0], 4)}.`} />
      <p class="readout">
        <span>shard <b>{count(columns.t[at])}</b></span>
        <span>{count(columns.rows[at])} rows</span>
        <span title={exact(columns.values[at])}>{title} <b>{significant(columns.values[at], 4)}</b></span>
        <span title={exact(columns.mean[at])}>rolling {significant(columns.mean[at], 4)}</span>
      </p>
      <Download name={`${of}-${title}`} figure={() => <ScoresFigure title={title} columns={data as unknown as (number | null)[][]} />}
        table={() => ({ head: ['t', 'rows', score, 'rolling_mean'], rows: columns.t.map((t, i) => [t, columns.rows[i]!, columns.values[i]!, columns.mean[i]!]) })} />
    </div>
  )
}
