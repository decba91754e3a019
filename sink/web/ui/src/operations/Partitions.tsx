import type { PartitionState } from '../api/types.ts'
import { Badge, Command, Empty, Labelled, Table, type Column, type Tone } from '../components/index.ts'
import { count, missing, span } from '../format.ts'

const tone: Record<PartitionState['phase'], Tone> = {
  running: 'good', starting: 'info', waiting: 'warn', halted: 'bad', elsewhere: 'plain', unclaimed: 'plain',
}
const rank: PartitionState['phase'][] = ['halted', 'waiting', 'starting', 'running', 'elsewhere', 'unclaimed']

/** troubleFirst puts halted partitions first, then those that wait; within a phase by number. */
export function troubleFirst(partitions: readonly PartitionState[]): PartitionState[] {
  return [...partitions].sort((a, b) => rank.indexOf(a.phase) - rank.indexOf(b.phase) || a.partition - b.partition)
}

const columns: Column<PartitionState>[] = [
  { id: 'partition', head: <Labelled text="Partition" term="partition" />, cell: (p) => p.partition },
  {
    id: 'phase', head: <Labelled text="Phase" term="phase" />,
    cell: (p) => (
      <>
        <Badge tone={tone[p.phase]}>{p.phase}{p.reason ? ': ' + p.reason : ''}</Badge>
        {p.why && <div class="why foreign">{p.why}</div>}
      </>
    ),
  },
  { id: 'lag', head: <Labelled text="Lag" term="lag" />, number: true, cell: (p) => count(p.lag) },
  { id: 'watermark', head: <Labelled text="Watermark" term="watermark" />, number: true, cell: (p) => count(p.watermark) },
  { id: 'end', head: 'End of log', number: true, cell: (p) => count(p.end) },
  { id: 'checkpoint', head: <Labelled text="Checkpoint" term="checkpoint" />, number: true, cell: (p) => (p.checkpoint_age === null ? missing : span(p.checkpoint_age) + ' ago') },
  { id: 'keys', head: 'Keys', number: true, cell: (p) => count(p.keys) },
  {
    id: 'owner', head: <Labelled text="Owner" term="owner" />,
    cell: (p) => (p.owner ? <span class="owner" title={`generation ${p.generation}`}><code>{p.owner}</code>{p.owned ? ' (this process)' : ''}</span> : missing),
  },
]

/** Partitions is the table of all partitions; above it what to do about those that halted. */
export function Partitions({ partitions, check }: {
  partitions: readonly PartitionState[]
  /** The command that finds common causes. */
  check: string
}) {
  const halted = partitions.filter((p) => p.phase === 'halted')
  return (
    <section aria-labelledby="partitions-title" class="stack">
      <h2 id="partitions-title">Partitions</h2>
      {halted.length > 0 && (
        <div class="card halted" role="alert">
          <h3>{halted.length === 1 ? `Partition ${halted[0]?.partition} is halted` : `${halted.length} partitions are halted`}</h3>
          <p>
            A halted partition applies nothing until you act; its models can still be read, the other partitions go on. Read the reason
            below, mend its cause, and start the process again.
          </p>
          <Command text={check} label="Finds common causes and says the fix:" />
        </div>
      )}
      {partitions.length === 0
        ? <Empty title="No partitions known"><p>Kafka did not tell the partitions of the input topic yet. <code>{check}</code> says why.</p></Empty>
        : <Table columns={columns} rows={troubleFirst(partitions)} id={(p) => p.partition} caption="Partitions, those in trouble first" />}
    </section>
  )
}
