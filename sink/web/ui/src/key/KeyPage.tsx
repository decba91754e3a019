import { useEffect, useMemo } from 'preact/hooks'
import { Bands } from '../charts/Bands.tsx'
import { DensityChart } from '../charts/DensityChart.tsx'
import { Empty, ErrorState, Foreign, Intro, Loading, Tabs } from '../components/index.ts'
import { count } from '../format.ts'
import { Contrast } from '../instruments/Contrast.tsx'
import { Effects } from '../instruments/Effects.tsx'
import { Observed } from '../instruments/Observed.tsx'
import { useKinds } from '../kinds.ts'
import { query, setQuery } from '../router.ts'
import { AllForest } from './AllForest.tsx'
import { Calibrated } from './Calibrated.tsx'
import { Diagnostics } from './Diagnostics.tsx'
import { How } from './How.tsx'
import { KeyHeader } from './KeyHeader.tsx'
import { KeyModel } from './model.ts'
import { Pending } from './Pending.tsx'
import { Predict } from './Predict.tsx'
import { Quantities } from './Quantities.tsx'
import { Raw } from './Raw.tsx'
import { sensible } from './rows.ts'
import { responseUnit, unitOf } from './units.ts'
import { Variables } from './Variables.tsx'
import { droppedWords } from './words.ts'
import './key.css'

const tabs = [
  { id: 'forest', title: 'Forest' },
  { id: 'diagnostics', title: 'Diagnostics' },
  { id: 'calibration', title: 'Calibration' },
  { id: 'observed', title: 'Observed' },
  { id: 'contrast', title: 'Contrast' },
  { id: 'effects', title: 'Effects' },
  { id: 'predict', title: 'Predict' },
  { id: 'how', title: 'How computed' },
  { id: 'json', title: 'JSON' },
]

/** plain are the parts whose introduction does not depend on the model; the others have theirs within. */
const plain = { forest: 'variables', diagnostics: 'diagnostics', predict: 'predict', how: 'how', json: 'json' } as const

/** KeyPage shows one model, live. The variable and the part below are in the query string. */
export function KeyPage({ name }: { name: string }) {
  const model = useMemo(() => new KeyModel(name), [name])
  useEffect(() => () => model.close(), [model])
  const kind = useKinds().value?.kinds.find((k) => k.name === model.posterior.value?.kind)
  const told = model.posterior.value?.quantities ?? []
  const own = new Set(told.map((q) => q.name))
  const rows = model.rows.value
  const variables = rows.filter((r) => !own.has(r.variable))
  // The key's first rows wait: there is no model yet.
  const none = variables.length === 0 && model.posterior.value?.t === 0
  const failure = model.failure.value
  const asked = query.value.get('variable') ?? ''
  const chosen = variables.some((r) => r.variable === asked) ? asked : sensible(variables.map((r) => r.variable))
  const view = query.value.get('view') ?? 'forest'
  const loaded = model.loaded.value
  useEffect(() => {
    if (chosen && loaded) model.want(chosen)
  }, [chosen, loaded])

  if (rows.length === 0 && !model.posterior.value) {
    if (failure?.status === 404)
      return (
        <Empty title="No model with this key">
          <p><Foreign text={name} length={120} /></p>
          <p>A model appears with its first checkpoint, at most seconds after its first shard; the page looks again by itself. Look at the spelling, or at <a href="/">all keys</a>; a shard that was refused is among the dead letters under <a href="/operations">Operations</a>.</p>
        </Empty>
      )
    if (failure) return <ErrorState failure={failure} what="This model can’t be shown" retry={model.loadPosterior} />
    return <Loading what="the model" />
  }
  return (
    <div class="stack key-page">
      <KeyHeader model={model} />
      {!none && <Intro view="key" />}
      <Notices model={model} />
      {model.posterior.value && <Pending posterior={model.posterior.value} about={model.about.value} />}
      <Quantities told={told} rows={rows} alerts={model.posterior.value?.alerts ?? []} unit={responseUnit(model.about.value, kind)} />
      {none ? <Empty title="No shard yet"><p>The first rows of this key wait until they are a shard; what is learnt shows here then.</p></Empty>
        : variables.length === 0 ? <Empty title="The posterior has no variables"><p>publish.variables of the configuration leaves all of them out.</p></Empty> : (
        <div class={variables.length <= 6 ? 'key-main few' : 'key-main'}>
          <Variables model={model} rows={variables} chosen={chosen} choose={(variable) => setQuery({ variable, density: null })} />
          <Chosen model={model} variable={chosen} tall={variables.length <= 6} />
        </div>
      )}
      {!none && <section class="card">
        <Tabs tabs={tabs} chosen={view} choose={(id) => setQuery({ view: id === 'forest' ? null : id })} label="Parts of the model">
          {view in plain && <Intro view={plain[view as keyof typeof plain]} />}
          {view === 'diagnostics' ? <Diagnostics of={model.key} rows={variables} priorDominated={model.posterior.value?.prior_dominated ?? []} unit={(v) => unitOf(v, model.about.value, kind)} />
            : view === 'calibration' ? <Calibrated model={model} />
            : view === 'observed' ? <Observed model={model} />
            : view === 'contrast' ? <Contrast model={model} />
            : view === 'effects' ? <Effects model={model} />
            : view === 'predict' ? <Predict model={model} />
            : view === 'how' ? <How model={model} />
            : view === 'json' ? <Raw model={model} />
            : <AllForest model={model} chosen={chosen} />}
        </Tabs>
      </section>}
    </div>
  )
}

/** Notices are the states in which a part of the page is missing, and why. */
function Notices({ model }: { model: KeyModel }) {
  const about = model.about.value
  const failure = model.failure.value
  return (
    <>
      {model.deleted.value && <p class="notice warn" role="status">This model was deleted by a null-value record while the page was open. What you see is what was last known; the page goes on if the key comes back.</p>}
      {failure && <p class="notice warn" role="status">Not current: {failure.message}. {failure.todo}</p>}
      {model.owned.value === false && (
        <p class="notice" role="status">
          Another process works on this key{about ? `, partition ${about.source.partition}` : ''}: the posterior here is right, read from the checkpoint store every few seconds; bands over time, scores and live updates are on that process’s page. <a href="/operations">Operations</a> names the owner.
        </p>
      )}
      {model.historyFailure.value && <p class="notice warn" role="status">The past can’t be read: {model.historyFailure.value.message}. Bands begin with the next shard.</p>}
    </>
  )
}

/** Chosen is the variable that was chosen: over the shards, and now against before. */
function Chosen({ model, variable, tall }: { model: KeyModel; variable: string; tall: boolean }) {
  const version = model.version.value
  const kinds = useKinds().value?.kinds
  const row = model.rows.value.find((r) => r.variable === variable)
  const prior = model.about.value?.prior.find((r) => r.variable === variable)
  const track = model.history.track(variable)
  if (!row) return null
  const newest = model.history.newest
  const about = model.about.value
  const unit = unitOf(variable, about, kinds?.find((k) => k.name === about?.kind))
  return (
    <>
      <section class="card stack bands" aria-label="Bands over time">
        <div class="chart-head">
          <h2><Foreign text={variable} length={60} />{unit && <span class="muted"> {unit}</span>}</h2>
          <a href={`/forest?variable=${encodeURIComponent(variable)}`}>in other keys</a>
        </div>
        {track ? (
          <Bands key={variable} of={model.key} variable={variable} unit={unit} track={track} version={version} height={tall ? 380 : 320} />
        ) : !model.loaded.value ? (
          <Loading what="the past" />
        ) : (
          <Empty title="No history here">
            <p>
              {model.owned.value === false ? 'The process that works on this key keeps it.'
                : newest && newest.variables > newest.posterior.length ? `History is kept for the first ${count(newest.posterior.length)} of ${count(newest.variables)} variables; this one’s posterior of now is below.`
                : model.dropped.value ? droppedWords(model.dropped.value)
                : 'History is kept from the start of this process on: the next shard of this key begins it.'}
            </p>
          </Empty>
        )}
        {track && !model.complete.value && track.moments[0]!.t > 1 && <p class="muted small">Kept from shard {count(track.moments[0]!.t)} on. {model.dropped.value && droppedWords(model.dropped.value)}</p>}
      </section>
      <section class="card stack density" aria-label="Density">
        <h2>Density</h2>
        <DensityChart key={variable} of={model.key} variable={variable} unit={unit} row={row} prior={prior} track={track} version={version} />
      </section>
    </>
  )
}
