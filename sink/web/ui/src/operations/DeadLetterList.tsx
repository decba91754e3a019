import { useEffect, useRef } from 'preact/hooks'
import type { DeadLetters } from '../api/types.ts'
import { Ago, Badge, Command, ErrorState, Foreign, Labelled, Loading, Table, type Column } from '../components/index.ts'
import { bytes } from '../format.ts'
import type { Resource } from '../resource.ts'

type Letter = DeadLetters['letters'][number]

const stages: Record<string, string> = {
  decode: 'The value could not be read as Arrow',
  schema: 'Columns are missing or of another type than the model expects',
  check: 'The key or the values are not what a model takes',
  numeric: 'The numbers could not be computed with',
  fault: 'A mistake in Credence met it, and the record may be right: report the place and the log, and replay it after an upgrade',
  limit: 'The key is new, and its prefix has as many keys, or as many new ones in this minute, as limits.prefixes allows',
}

const columns: Column<Letter>[] = [
  { id: 'time', head: 'Written', cell: (l) => <Ago time={l.time} /> },
  { id: 'key', head: 'Key', cell: (l) => (l.key === null ? <span class="muted">none</span> : <Foreign text={l.key} length={32} />) },
  {
    id: 'reason', head: 'Reason',
    cell: (l) => (
      <div class="reason">
        <Badge tone="warn" title={stages[l.stage] ?? ''}>{l.stage}</Badge> <span class="foreign">{l.reason}</span>
      </div>
    ),
  },
  { id: 'source', head: 'From', cell: (l) => <span class="mono" title="topic/partition@offset of the record"><bdi>{l.source.topic}</bdi>/{l.source.partition}@{l.source.offset}</span> },
  { id: 'bytes', head: 'Size', number: true, cell: (l) => bytes(l.bytes) },
]

const commandTitles: Record<string, string> = { list: 'List them in a terminal:', replay: 'After the cause is mended, send them to the input topic again, each once:' }

/** DeadLetterList shows the newest dead letters and the commands to list and replay them. */
export function DeadLetterList({ letters }: { letters: Resource<DeadLetters> }) {
  const { value, failure } = letters
  const place = useRef<HTMLElement>(null)
  // A browser looks for the place of a link before it is there.
  useEffect(() => {
    if (value && location.hash === '#dead-letters') place.current?.scrollIntoView()
  }, [value !== undefined])
  return (
    <section ref={place} id="dead-letters" aria-labelledby="dead-letters-title" class="stack">
      <h2 id="dead-letters-title"><Labelled text="Dead letters" term="deadLetters" /></h2>
      {!value && failure && <ErrorState failure={failure} what="Dead letters can’t be read" retry={letters.reload} />}
      {!value && !failure && <Loading what="dead letters" />}
      {value && failure && <p class="muted">Not up to date: {failure.message}</p>}
      {value?.letters.length === 0 && <p class="card muted">None. Records that can’t be applied go to <bdi>{value.topic}</bdi> with the reason, and show here.</p>}
      {value && value.letters.length > 0 && (
        <>
          <Table columns={columns} rows={value.letters} id={(l) => l.partition + '@' + l.offset} caption={`The newest dead letters in ${value.topic}`} />
          {Object.entries(value.commands).map(([name, text]) => <Command key={name} text={text} label={commandTitles[name] ?? name + ':'} />)}
        </>
      )}
    </section>
  )
}
