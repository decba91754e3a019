import { useMemo, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { KindInfo, Predictions } from '../api/types.ts'
import { BandsFigure } from '../charts/figures.tsx'
import { axis, Plot, valueAxis } from '../charts/plot.tsx'
import { range } from '../charts/Sheet.tsx'
import { Download } from '../download/Download.tsx'
import { Swatch } from '../charts/legend.tsx'
import { tickText, ticks } from '../charts/ticks.ts'
import { count, estimate, exact, significant } from '../format.ts'
import { useRange } from '../router.ts'
import { colour } from '../theme.ts'

type Prediction = Predictions['predictions'][number]

/** PredictResult shows predictions as a table with pictures of both intervals; steps ahead also as a fan. */
export function PredictResult({ of, result, kind, response, unit }: {
  /** The key whose model it is. */
  of: string
  result: Predictions
  kind: KindInfo | undefined
  /** Name and unit of what is predicted; '' where not told. */
  response: string
  unit: string
}) {
  const list = result.predictions
  const ends = list.flatMap((p) => [p['q2.5'], p['q97.5'], p['epred_q2.5'], p['epred_q97.5'], p.mean]).filter((v) => v !== null)
  const lo = Math.min(...ends)
  const hi = Math.max(...ends)
  const pad = (hi - lo) * 0.04 || 1
  const ordered = kind?.ordered ?? false
  const binary = kind?.response === 'binary'
  const mean = binary ? 'probability of 1' : 'mean'
  const measured = unit && <span class="muted"> {unit}</span>
  return (
    <section class="stack" aria-label="Predictions" aria-live="polite">
      <h3>{ordered ? `${count(list.length)} steps ahead` : `${count(list.length)} ${list.length === 1 ? 'prediction' : 'predictions'}`} <span class="muted">by the model after {count(result.t)} shards</span></h3>
      <div class="legend">
        <span><svg width="26" height="12" aria-hidden="true"><line x1="0" x2="26" y1="6" y2="6" stroke="var(--series-1)" stroke-width="1.5" /></svg>a new observation, 95 %</span>
        <span><svg width="26" height="12" aria-hidden="true"><line x1="3" x2="23" y1="6" y2="6" stroke="var(--series-1)" stroke-width="6" stroke-linecap="round" stroke-opacity="0.7" /></svg>{binary ? 'the probability, 95 %' : 'the expected value, 95 %'}</span>
      </div>
      {ordered && list.length > 1 && <Fan list={list} title={response + (unit && `, ${unit}`)} />}
      <div class="table predictions" tabIndex={0} role="region" aria-label="Predictions">
        <table>
          <thead>
            <tr>
              <th class="number" scope="col">{ordered ? 'step' : 'row'}</th><th class="number" scope="col">{mean}{measured}</th><th class="number wide-only" scope="col">sd{measured}</th>
              <th class="number" scope="col">new observation{measured}</th><th class="number" scope="col">{binary ? 'its probability' : 'expected value'}{measured}</th>
              <th scope="col" class="wide-only"><ScaleText lo={lo - pad} hi={hi + pad} /></th>
            </tr>
          </thead>
          <tbody>
            {list.slice(0, 500).map((p) => {
              const observed = { mean: p.mean, sd: p.sd, mcse_mean: null }
              const expected = { mean: p.mean, sd: p.epred_sd, mcse_mean: null }
              return (
                <tr key={p.row}>
                  <td class="number">{p.row}</td>
                  <td class="number" title={exact(p.mean)} data-value={p.mean ?? ''}><b>{estimate(p.mean, expected)}</b></td>
                  <td class="number wide-only" title={exact(p.sd)}>{significant(p.sd, 2)}</td>
                  <td class="number" title={`${exact(p['q2.5'])} to ${exact(p['q97.5'])}`}>{estimate(p['q2.5'], observed)} to {estimate(p['q97.5'], observed)}</td>
                  <td class="number" title={`${exact(p['epred_q2.5'])} to ${exact(p['epred_q97.5'])}`}>{estimate(p['epred_q2.5'], expected)} to {estimate(p['epred_q97.5'], expected)}</td>
                  <td class="wide-only"><Picture p={p} lo={lo - pad} hi={hi + pad} /></td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {list.length > 500 && <p class="muted">The first 500 of {count(list.length)}.</p>}
      <Download name={`${of}-predictions`} {...(ordered && list.length > 1 ? { figure: () => <FanFigure list={list} title={response + (unit && `, ${unit}`)} /> } : {})}
        table={() => ({ head: [ordered ? 'step' : 'row', ...numbers], rows: list.map((p) => [p.row, ...numbers.map((n) => p[n])]) })} />
    </section>
  )
}

const numbers = ['mean', 'sd', 'q2.5', 'q97.5', 'epred_sd', 'epred_q2.5', 'epred_q97.5'] as const

/** fanOf are the columns of a fan: steps, a new observation's ends, those of what is expected, and the mean. */
const fanOf = (list: readonly Prediction[]) =>
  [list.map((p) => p.row), list.map((p) => p['q97.5']), list.map((p) => p['q2.5']), list.map((p) => p['epred_q97.5']), list.map((p) => p['epred_q2.5']), list.map((p) => p.mean)]

function FanFigure({ list, title }: { list: readonly Prediction[]; title: string }) {
  const columns = fanOf(list)
  return <BandsFigure title={title} kind="shard" columns={columns} y={range(columns.slice(1).flat())} counted="steps ahead" />
}

const width = 260

function ScaleText({ lo, hi }: { lo: number; hi: number }) {
  const marks = ticks(lo, hi, 3)
  const texts = tickText(marks)
  return (
    <svg width={width} height={16} class="svg-chart" style={{ width: `${width}px` }} aria-hidden="true">
      {marks.map((m, i) => <text key={m} x={((m - lo) / (hi - lo)) * width} y={12} text-anchor="middle">{texts[i]}</text>)}
    </svg>
  )
}

function Picture({ p, lo, hi }: { p: Prediction; lo: number; hi: number }) {
  const x = (v: number) => ((v - lo) / (hi - lo)) * width
  const [a, b, c, d] = [p['q2.5'], p['q97.5'], p['epred_q2.5'], p['epred_q97.5']]
  return (
    <svg width={width} height={18} class="picture" aria-hidden="true">
      {a !== null && b !== null && <line x1={x(a)} x2={x(b)} y1={9} y2={9} stroke="var(--series-1)" stroke-width="1.5" />}
      {c !== null && d !== null && <line x1={x(c)} x2={x(d)} y1={9} y2={9} stroke="var(--series-1)" stroke-width="6" stroke-linecap="round" stroke-opacity="0.7" />}
      {p.mean !== null && <circle cx={x(p.mean)} cy={9} r={3.5} fill="var(--surface)" stroke="var(--median)" stroke-width="2" />}
    </svg>
  )
}

function Fan({ list, title }: { list: readonly Prediction[]; title: string }) {
  const [zoom, setZoom] = useRange('steps')
  const [at, setAt] = useState<number | null>(null)
  const view = useMemo(() => ({ zoom }), [])
  view.zoom = zoom
  const options = useMemo<Omit<uPlot.Options, 'width' | 'height'>>(() => {
    const edge = { width: 0, points: { show: false } }
    return {
      scales: { x: { time: false, range: (_, min, max) => view.zoom ?? (min === max ? [min - 0.5, max + 0.5] : [min, max]) } },
      axes: [axis({}, 'steps ahead'), valueAxis({}, title)],
      series: [{}, edge, edge, edge, edge, { width: 2, stroke: () => colour('--median'), points: { show: false } }],
      bands: [
        { series: [1, 2], fill: () => colour('--band-95') },
        { series: [3, 4], fill: () => colour('--band-50') },
      ],
    }
  }, [title])
  const data = useMemo<uPlot.AlignedData>(() => fanOf(list) as uPlot.AlignedData, [list, zoom])
  const p = list[at ?? list.length - 1]!
  const spread = { mean: p.mean, sd: p.sd, mcse_mean: null }
  const text = `step ${p.row}: mean ${estimate(p.mean, spread)}, new observation ${estimate(p['q2.5'], spread)} to ${estimate(p['q97.5'], spread)}`
  return (
    <div>
      <div class="legend">
        <span><Swatch colour="--median" />mean</span><span><Swatch colour="--band-50" band />expected value, 95 %</span><span><Swatch colour="--band-95" band />new observation, 95 %</span>
      </div>
      <Plot label="Predictions by step" summary={text} data={data} options={options} height={220} zoom={zoom} setZoom={setZoom} point={setAt} />
      <p class="readout">{text}</p>
    </div>
  )
}
