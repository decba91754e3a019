import type { Calibration } from '../api/types.ts'
import { CoveragePlot } from '../charts/CoveragePlot.tsx'
import { Pit } from '../charts/Pit.tsx'
import { Help, Labelled } from '../components/index.ts'
import { count, exact, significant } from '../format.ts'
import { verdict } from './verdict.ts'

/** CalibrationView shows PIT histogram and coverage with a sentence on what they say. */
export function CalibrationView({ calibration: c, unit = '' }: {
  calibration: Calibration
  /** Of the response, '' where none is told. */
  unit?: string
}) {
  return (
    <div class="stack">
      <p class="verdict">{verdict(c)}</p>
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
    </div>
  )
}
