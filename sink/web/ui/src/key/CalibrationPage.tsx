import { api } from '../api/client.ts'
import { Empty, ErrorState, Loading, Table } from '../components/index.ts'
import { count, percent } from '../format.ts'
import { useResource } from '../resource.ts'

/** CalibrationPage shows how honest predictions were across all keys. */
export function CalibrationPage() {
  const all = useResource((signal) => api.calibrationAcross({}, signal), [], { every: 5000 })
  if (all.failure && !all.value) return <ErrorState failure={all.failure} what="Calibration can’t be read" retry={all.reload} />
  if (!all.value) return <Loading what="calibration" />
  if (all.value.all.rows === 0) return <Empty title="No row was scored yet"><p>Each shard after a key’s first is predicted before it is absorbed; the score appears then.</p></Empty>
  return (
    <Table
      caption="Coverage of all keys" rows={all.value.all.coverage} id={(c) => c.nominal}
      columns={[
        { id: 'nominal', head: 'Nominal', number: true, cell: (c) => percent(c.nominal, 0) },
        { id: 'share', head: 'Coverage', number: true, cell: (c) => percent(c.share) },
        { id: 'band', head: 'Band', number: true, cell: (c) => percent(c.low) + ' to ' + percent(c.high) },
        { id: 'rows', head: 'Rows', number: true, cell: () => count(all.value?.all.rows) },
      ]}
    />
  )
}
