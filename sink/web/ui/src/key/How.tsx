import { modelPath } from '../api/client.ts'
import { Command, ErrorState, Foreign, Loading, Table } from '../components/index.ts'
import type { Input } from '../api/types.ts'
import { absolute, bytes, count, significant } from '../format.ts'
import { useKinds } from '../kinds.ts'
import type { KeyModel } from './model.ts'

const shownColumns = 60

/** How says how the posterior was computed, and the commands that show the same in a terminal. */
export function How({ model }: { model: KeyModel }) {
  const about = model.about.value
  const posterior = model.posterior.value
  const kinds = useKinds().value?.kinds
  if (!about) return model.aboutFailure.value ? <ErrorState failure={model.aboutFailure.value} what="How it was computed can’t be read" retry={model.loadAbout} /> : <Loading what="how it was computed" />
  const kind = kinds?.find((k) => k.name === about.kind)
  return (
    <div class="pair">
      <section class="stack">
        <div>
          <h3>{about.kind}, {about.variant}</h3>
          {kind && <p class="formula">{kind.formula}</p>}
          {kind && <p>{kind.text}</p>}
          <p class="muted">
            {about.variant === 'paper'
              ? 'The rule of the paper, for comparison; the corrected rule is the default.'
              : 'Every shard is folded in once by conditional density filtering and forgotten, at once or after a window of fixed size.'}
            {' '}<a href={`/manual/models/${about.kind}.md`} target="_blank" rel="noopener">Settings, priors and limits</a>.
          </p>
        </div>
        <dl class="pairs">
          <dt>configuration</dt><dd>entry <code class="foreign">{about.match}</code>, fingerprint <code>{about.config}</code></dd>
          <dt>last record</dt><dd><code class="foreign">{about.source.topic}</code>, partition {about.source.partition}, offset {String(about.source.offset)}</dd>
          <dt>its time</dt><dd>{absolute(about.time)}</dd>
          <dt>absorbed</dt><dd>{count(about.n)} rows in {count(about.t)} shards</dd>
          <dt>forgetting</dt><dd>{about.forget === 1 ? 'none: every row counts the same' : `weights shrink by ${about.forget} per ${about.forget_per}`}</dd>
          <dt>draws</dt><dd>{posterior ? (posterior.draws > 0 ? count(posterior.draws) : 'none: closed form') : '–'}</dd>
          <dt>stored state</dt><dd>{bytes(about.state_bytes)}</dd>
        </dl>
        {Object.keys(about.commands).length > 0 && (
          <div class="stack" style={{ gap: '0.5rem' }}>
            <h3>In a terminal</h3>
            {Object.entries(about.commands).map(([name, text]) => <Command key={name} text={text} label={commandWords[name] ?? name} />)}
          </div>
        )}
      </section>
      <section class="stack">
        <div>
          <h3>Columns</h3>
          <p class="muted">Priors act on scaled columns; all numbers on this page are in original units.</p>
        </div>
        <Table<Input> rows={about.inputs.slice(0, shownColumns)} id={(i) => i.role + ' ' + i.name} caption="Columns of the model" columns={[
          { id: 'name', head: 'column', cell: (i) => <Foreign text={i.name} length={40} /> },
          { id: 'role', head: 'role', cell: (i) => i.role },
          ...(about.inputs.some((i) => i.unit) ? [{ id: 'unit', head: 'unit', cell: (i: Input) => i.unit ?? '' }] : []),
          { id: 'type', head: 'type', cell: (i) => (i.levels ? `${count(i.levels.length)} ${i.role === 'group' ? 'groups' : 'levels'}` : i.moment ? 'time' : i.type) },
          { id: 'center', head: 'centre', number: true, wide: true, cell: (i) => <span title={String(i.center ?? '')}>{significant(i.center, 4)}</span> },
          { id: 'scale', head: 'scale', number: true, wide: true, cell: (i) => <span title={String(i.scale ?? '')}>{significant(i.scale, 4)}</span> },
        ]} />
        {about.inputs.length > shownColumns && (
          <p class="muted">The first {count(shownColumns)} of {count(about.inputs.length)} columns; <a href={modelPath(model.key, '/about')} target="_blank" rel="noopener">about</a> has all.</p>
        )}
        <div>
          <h3>Settings</h3>
          <pre class="json foreign">{JSON.stringify(about.settings, null, 2)}</pre>
        </div>
      </section>
    </div>
  )
}

const commandWords: Record<string, string> = {
  get: 'this posterior, from the checkpoint store',
  tail: 'the posteriors as they come',
  verify: 'recompute it from the log and compare bit for bit',
}
