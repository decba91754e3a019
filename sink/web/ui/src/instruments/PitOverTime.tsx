import { useRef } from 'preact/hooks'
import { api } from '../api/client.ts'
import type { CalibrationWindow } from '../api/types.ts'
import { Sheet } from '../charts/Sheet.tsx'
import { Intro } from '../components/index.ts'
import { absolute, count, exact, percent, significant } from '../format.ts'
import type { KeyModel } from '../key/model.ts'
import { useResource } from '../resource.ts'
import { query, setQuery } from '../router.ts'
import { Download } from '../download/Download.tsx'
import { cellsOf, classes, drift } from './windows.ts'
import './instruments.css'

const every = 5_000
const choices = [6, 12, 24] as const

/** PitOverTime shows how calibration moved along the shards: ?windows= is in how many runs, ?window= the shard whose run is read. */
export function PitOverTime({ model }: { model: KeyModel }) {
  const n = choices.find((c) => String(c) === query.value.get('windows')) ?? 12
  const answer = useResource((signal) => api.calibration(model.key, signal, n), [model.key, n], { every })
  const chart = useRef<HTMLDivElement>(null)
  const windows = answer.value?.windows
  if (!windows || windows.length < 2) return null
  return (
    <section class="stack" ref={chart} aria-label="Calibration along the shards">
      <div class="chart-head">
        <h3>Along the shards</h3>
        <label class="row small"><span class="muted">in</span>
          <select value={n} onChange={(e) => setQuery({ windows: e.currentTarget.value === '12' ? null : e.currentTarget.value })}>
            {choices.map((c) => <option key={c} value={c}>{c} parts</option>)}
          </select></label>
      </div>
      <Intro view="drift" />
      <p class="verdict">{drift(windows)}</p>
      <Heat windows={windows} />
      <Download name={`${model.key}-calibration-over-time`} chart={chart} table={() => ({
        head: ['from', 'to', 'from_time', 'to_time', 'rows', 'shards', 'coverage50', 'coverage80', 'coverage90', 'coverage95', 'log_density', 'rmse', ...windows[0]!.pit.map((_, i) => `pit${i}`)],
        rows: windows.map((w) => [w.from, w.to, w.from_time, w.to_time, w.rows, w.shards, ...[0.5, 0.8, 0.9, 0.95].map((p) => w.coverage.find((c) => c.nominal === p)?.share ?? null), w.log_density, w.rmse, ...w.pit]),
      })} />
    </section>
  )
}

function Heat({ windows }: { windows: readonly CalibrationWindow[] }) {
  const asked = Number(query.value.get('window') ?? NaN)
  const found = windows.findIndex((w) => w.from <= asked && asked <= w.to)
  const at = found < 0 ? null : found
  const read = windows[at ?? windows.length - 1]!
  const step = Math.ceil(windows.length / 8)
  const marks = windows.flatMap((w, i) => (i % step === 0 ? [[i, count(w.from)] as const] : []))
  const coverage = (p: number) => read.coverage.find((c) => c.nominal === p)
  const c95 = coverage(0.95)
  return (
    <>
      <Sheet label="Places of the values in their predicted distributions" height={260} summary={`${windows.length} runs of shards from ${count(windows[0]!.from)} to ${count(windows[windows.length - 1]!.to)}. ${drift(windows)}`}
        x={{ lo: -0.5, hi: windows.length - 0.5, title: 'first shard of each run', marks }} y={{ lo: 0, hi: 1, title: 'place of the value' }}
        points={windows.map((_, i) => i)} at={at} setAt={(i) => i !== null && setQuery({ window: String(windows[i]!.to) })}>
        {(area) => windows.map((w, i) => cellsOf(w.pit).map((cell, k) => {
          const [x, width] = [area.x(i - 0.5), area.x(i + 0.5) - area.x(i - 0.5)]
          const [y, height] = [area.y((k + 1) / classes), area.y(k / classes) - area.y((k + 1) / classes)]
          const strength = Math.min(1, Math.abs(Math.log2(Math.max(cell.ratio, 1 / 8))) / 2)
          return (
            <g key={`${i} ${k}`}>
              <rect class={cell.ratio > 1 ? 'heat many' : 'heat few'} x={x + 1} y={y + 1} width={Math.max(1, width - 2)} height={Math.max(1, height - 2)} fill-opacity={0.06 + 0.74 * strength}>
                <title>{`shards ${w.from} to ${w.to}, ${k / classes} to ${(k + 1) / classes}: ${cell.rows} rows, ${significant(cell.ratio, 2)} times as many as should be`}</title>
              </rect>
              {cell.off && width > 14 && <text class="heat-mark" x={x + width / 2} y={y + height / 2 + 4} text-anchor="middle" aria-hidden="true">{cell.off === 'many' ? '▴' : '▾'}</text>}
            </g>
          )
        }))}
      </Sheet>
      <p class="readout">
        <span>shards <b>{count(read.from)}</b> to <b>{count(read.to)}</b></span>
        <span>{absolute(read.from_time)} to {absolute(read.to_time)}</span>
        <span>{count(read.rows)} rows</span>
        {c95 && <span title={exact(c95.share)}>in their 95 % interval <b data-value={c95.share}>{percent(c95.share)}</b></span>}
        {c95 && <span>chance allows {percent(c95.low)} to {percent(c95.high)}</span>}
      </p>
      <p class="muted small">▴ ▾: more or fewer values than chance makes of one in a hundred such cells.</p>
    </>
  )
}
