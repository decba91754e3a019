import { useRef } from 'preact/hooks'
import type { Calibration } from '../api/types.ts'
import { CoveragePlot } from '../charts/CoveragePlot.tsx'
import { Pit } from '../charts/Pit.tsx'
import { Help, Labelled } from '../components/index.ts'
import { count, exact, significant } from '../format.ts'
import { Download } from '../download/Download.tsx'
import { verdict } from './verdict.ts'

/** CalibrationView shows PIT histogram and coverage with a sentence on what they say. */
export function CalibrationView({ of, calibration: c, unit = '' }: {
  /** What is calibrated, for the names of files. */
  of: string
  calibration: Calibration
  /** Of the response, '' where none is told. */
  unit?: string
}) {
  const charts = useRef<HTMLDivElement>(null)
  return (
    <div class="stack" ref={charts}>
      <Verdict text={verdict(c)} />
      <dl class="facts">
        <div><dt>rows scored</dt><dd><b data-value={c.rows}>{count(c.rows)}</b></dd></div>
        <div><dt>shards scored</dt><dd><b>{count(c.shards)}</b></dd></div>
        <div><dt><Labelled text="log density" term="logDensity" /></dt><dd><b title={exact(c.log_density)}>{significant(c.log_density, 4)}</b></dd></div>
        <div><dt><Labelled text="RMSE" term="rmse" /></dt><dd><b title={exact(c.rmse)}>{significant(c.rmse, 4)}{unit && ` ${unit}`}</b></dd></div>
      </dl>
      <div class="pair">
        <section><h3>PIT histogram <Help term="pit" /></h3><Pit pit={c.pit} /></section>
        <section><h3>Coverage against nominal <Help term="coverageBand" /></h3><CoveragePlot coverage={c.coverage} /></section>
      </div>
      <Download name={`${of}-calibration`} chart={charts} table={() => ({
        head: ['what', 'from', 'to', 'rows', 'share', 'low', 'high'],
        rows: [
          ...c.pit.map((n, i) => ['pit', i / c.pit.length, (i + 1) / c.pit.length, n, c.rows > 0 ? n / c.rows : null, null, null]),
          ...c.coverage.map((v) => ['coverage', 0.5 - v.nominal / 2, 0.5 + v.nominal / 2, Math.round(v.share * c.rows), v.share, v.low, v.high]),
        ],
      })} />
    </div>
  )
}

/** Verdict sets what it comes to apart from the figures that it rests on. */
function Verdict({ text }: { text: string }) {
  const [, lead = text, rest = ''] = /^(.+?)(?:: |\. )(.*)$/.exec(text) ?? []
  return (
    <div>
      <p class="verdict">{lead}{rest && '.'}</p>
      {rest && <p>{rest[0]!.toUpperCase() + rest.slice(1)}</p>}
    </div>
  )
}
