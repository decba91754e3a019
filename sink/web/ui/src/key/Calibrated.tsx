import { api } from '../api/client.ts'
import { Scores } from '../charts/Scores.tsx'
import { Empty, ErrorState, Loading } from '../components/index.ts'
import { PitOverTime } from '../instruments/PitOverTime.tsx'
import { useResource } from '../resource.ts'
import { CalibrationView } from './CalibrationView.tsx'
import { useKinds } from '../kinds.ts'
import type { KeyModel } from './model.ts'
import { responseUnit } from './units.ts'

/** Calibrated is the part of a key's page on how well shards were predicted before they were absorbed. */
export function Calibrated({ model }: { model: KeyModel }) {
  const version = model.version.value
  const about = model.about.value
  const unit = responseUnit(about, useKinds().value?.kinds.find((k) => k.name === about?.kind))
  const answer = useResource((signal) => api.calibration(model.key, signal), [model.key], { every: 3_000 })
  if (answer.failure && !answer.value) return <ErrorState failure={answer.failure} what="Calibration can’t be read" retry={answer.reload} />
  if (!answer.value) return <Loading what="calibration" />
  if (answer.value.owned === false)
    return (
      <Empty title="Another process scores this key">
        <p>Calibration covers the partitions that a process works on. Ask the process that owns this key’s partition; Operations says which.</p>
      </Empty>
    )
  return (
    <div class="stack">
      {answer.value.rows === 0 ? (
        <Empty title="No row was scored yet">
          <p>Each shard is predicted before it is absorbed, from the key’s second on. Counting starts with this process; the next shard shows here.</p>
        </Empty>
      ) : <CalibrationView of={model.key} calibration={answer.value} unit={unit} />}
      <PitOverTime model={model} />
      {model.history.moments.length > 0 && (
        <section>
          <h3>Scores over shards</h3>
          <Scores of={model.key} moments={model.history.moments} version={version} unit={unit} />
        </section>
      )}
    </div>
  )
}
