import { useEffect, useState } from 'preact/hooks'
import { api } from '../api/client.ts'
import type { Input, PredictRequest, Predictions } from '../api/types.ts'
import { ErrorState, Foreign, Loading } from '../components/index.ts'
import { count, visible, zone } from '../format.ts'
import { useKinds } from '../kinds.ts'
import type { KeyModel } from './model.ts'
import { PredictResult } from './PredictResult.tsx'
import { query, setQuery, useChoice } from '../router.ts'
import { entriesOf, faultOf, fieldsOf, hint, isMoment, linked, linkedRequest, requestOf, requestOfText, typical, type Entry, type Fault } from './predictform.ts'
import { responseUnit } from './units.ts'

/** Columns above which rows are typed as JSON unless the form is asked for. */
const formColumns = 24
const rowsAtOnce = 50

/** Predict asks the model about rows that were not seen, or one of steps in time about the next: ?given= is what was asked last. */
export function Predict({ model }: { model: KeyModel }) {
  const about = model.about.value
  const kinds = useKinds()
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<Predictions | null>(null)
  const [faults, setFaults] = useState<Fault[]>([])
  if (!about) return model.aboutFailure.value ? <ErrorState failure={model.aboutFailure.value} what="What it takes to predict can’t be read" retry={model.loadAbout} /> : <Loading what="the form" />
  // Rows or a horizon: a form for the wrong one would be of no use.
  if (!kinds.value) return kinds.failure ? <ErrorState failure={kinds.failure} what="What it takes to predict can’t be read" retry={kinds.reload} /> : <Loading what="the form" />
  const kind = kinds.value.kinds.find((k) => k.name === about.kind)
  const fields = fieldsOf(about.inputs)

  const given = linkedRequest(query.value.get('given') ?? '')
  const ask = async (request: PredictRequest) => {
    setQuery({ given: linked(request) })
    setFaults([])
    setBusy(true)
    const answer = await api.predict(model.key, request)
    setBusy(false)
    if (answer.ok) setResult(answer.value)
    else {
      setResult(null)
      const fault = faultOf(answer.failure.message, fields, 'rows' in request ? request.rows.length : 0)
      setFaults([answer.failure.status === 0 || answer.failure.status >= 500 ? { ...fault, row: null, input: null, message: `${answer.failure.message}. ${answer.failure.todo}` } : fault])
    }
  }
  return (
    <div class="stack">
      {kind?.ordered ? (
        <Horizon given={given} ask={ask} busy={busy} faults={faults} />
      ) : (
        <Rows given={given} fields={fields} ask={ask} busy={busy} faults={faults} setFaults={setFaults} />
      )}
      {result && <PredictResult of={model.key} result={result} kind={kind} response={visible(about.inputs.find((i) => i.role === 'response')?.name ?? '')} unit={responseUnit(about, kind)} />}
    </div>
  )
}

/** useGiven asks at once what a link asks. */
function useGiven(given: PredictRequest | null, ask: (r: PredictRequest) => void) {
  useEffect(() => {
    if (given) ask(given)
  }, [])
}

function Horizon({ given, ask, busy, faults }: { given: PredictRequest | null; ask: (r: PredictRequest) => void; busy: boolean; faults: readonly Fault[] }) {
  const [steps, setSteps] = useState(given && 'horizon' in given ? String(given.horizon) : '20')
  useGiven(given, ask)
  const horizon = Number(steps)
  const wrong = /^\d+$/.test(steps.trim()) && horizon >= 1 && horizon <= 2_000 ? '' : 'a whole number from 1 to 2000'
  return (
    <form class="row" onSubmit={(e) => { e.preventDefault(); if (!wrong) ask({ horizon }) }}>
      <label class="field" style={{ maxWidth: '12rem' }}>
        <span>steps ahead</span>
        <input inputMode="numeric" value={steps} aria-invalid={wrong !== ''} aria-describedby="horizon-fault" onInput={(e) => setSteps(e.currentTarget.value)} />
        <span class="fault" id="horizon-fault">{wrong}</span>
      </label>
      <button type="submit" class="primary" disabled={busy || wrong !== ''}>{busy ? 'Predicting …' : 'Predict'}</button>
      <General faults={faults} />
    </form>
  )
}

/** General are the faults that belong to no field in sight. */
function General({ faults, shown }: { faults: readonly Fault[]; shown?: (f: Fault) => boolean }) {
  const rest = faults.filter((f) => !shown?.(f))
  if (rest.length === 0) return null
  return (
    <div role="alert" class="fault">
      {rest.map((f, i) => <p key={i} class="foreign">{f.row !== null && f.input !== null ? '' : f.row !== null ? `row ${f.row}: ` : ''}{f.message}</p>)}
    </div>
  )
}

function Rows({ given, fields, ask, busy, faults, setFaults }: {
  given: PredictRequest | null
  fields: readonly Input[]
  ask: (r: PredictRequest) => void
  busy: boolean
  faults: readonly Fault[]
  setFaults: (faults: Fault[]) => void
}) {
  const [entries, setEntries] = useState<Entry[]>(() => entriesOf(given, fields))
  const [form, setForm] = useChoice('form', fields.length > formColumns ? ['json', 'fields'] : ['fields', 'json'])
  const asText = form === 'json'
  const [text, setText] = useState(() => JSON.stringify(given && 'rows' in given ? given.rows : [example(fields)], null, 1))
  useGiven(given, ask)
  const set = (row: number, name: string, value: string) => {
    setEntries(entries.map((e, i) => (i === row ? { ...e, [name]: value } : e)))
    if (faults.some((f) => f.row === row && f.input === name)) setFaults(faults.filter((f) => f.row !== row || f.input !== name))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (asText) {
      const request = requestOfText(text)
      if (typeof request === 'string') setFaults([{ row: null, input: null, message: request }])
      else ask(request)
      return
    }
    const { request, faults: found } = requestOf(fields, entries)
    if (found.length === 0) {
      ask(request)
      return
    }
    setFaults(found)
    const first = found[0]!
    document.getElementById(fieldId(first.row ?? 0, fields.findIndex((f) => f.name === first.input)))?.focus()
  }
  const swap = () => {
    if (!asText) setText(JSON.stringify(requestOf(fields, entries).request.rows, null, 1))
    setFaults([])
    setForm(asText ? 'fields' : 'json')
  }
  return (
    <form class="stack" onSubmit={submit} noValidate>
      {asText ? (
        <label class="field">
          <span>rows as JSON, one object per row</span>
          <textarea class="mono" rows={Math.min(16, 3 + text.split('\n').length)} spellcheck={false} value={text} onInput={(e) => setText(e.currentTarget.value)} />
        </label>
      ) : fields.length === 0 ? (
        <p class="muted">The model takes no columns: a row is predicted as it stands.</p>
      ) : (
        entries.map((entry, row) => (
          <fieldset key={row} class="predict-row">
            <legend>row {row}</legend>
            {fields.map((f, i) => (
              <Field key={f.name} id={fieldId(row, i)} input={f} value={entry[f.name] ?? ''} set={(v) => set(row, f.name, v)}
                fault={faults.find((x) => x.input === f.name && (x.row === row || x.row === null))?.message} />
            ))}
            {entries.length > 1 && <button type="button" class="quiet" aria-label={`Remove row ${row}`} onClick={() => { setEntries(entries.filter((_, i) => i !== row)); setFaults([]) }}>Remove</button>}
          </fieldset>
        ))
      )}
      <General faults={faults} shown={(f) => !asText && f.input !== null && fields.some((x) => x.name === f.input)} />
      <div class="row">
        <button type="submit" class="primary" disabled={busy}>{busy ? 'Predicting …' : 'Predict'}</button>
        {!asText && <>
          <button type="button" onClick={() => { setEntries(entries.map((e) => typical(fields, e))); setFaults([]) }}>Fill typical values</button>
          <button type="button" disabled={entries.length >= rowsAtOnce} onClick={() => setEntries([...entries, { ...entries[entries.length - 1] }])}>Add a row</button>
        </>}
        <button type="button" class="quiet" onClick={swap}>{asText ? 'Use the form' : 'Type JSON'}</button>
      </div>
    </form>
  )
}

const fieldId = (row: number, field: number) => `predict-${row}-${field}`

function example(fields: readonly Input[]): Record<string, string | number> {
  return requestOf(fields, [typical(fields, {})]).request.rows[0] as Record<string, string | number>
}

/** Closed lists above this many levels become a text field with suggestions. */
const longest = 60

function Field({ id, input: f, value, set, fault }: { id: string; input: Input; value: string; set: (v: string) => void; fault: string | undefined }) {
  // A level may be outside the list only where the model has a place for it.
  const open = f.role === 'group' || f.other === 'level' || (f.levels?.length ?? 0) > longest
  const described = { id, 'aria-invalid': fault !== undefined, 'aria-describedby': fault === undefined ? undefined : id + '-fault' }
  return (
    <label class="field">
      <span class="field-name"><Foreign text={f.name} length={28} />{f.role !== 'feature' && <span class="muted"> {f.role}</span>}
        {isMoment(f) ? <span class="muted"> {zone(Date.now())}</span> : f.unit && <span class="muted"> {f.unit}</span>}</span>
      {isMoment(f) ? (
        <input {...described} type="datetime-local" step="1" value={value} onInput={(e) => set(e.currentTarget.value)} />
      ) : f.type === 'number' ? (
        <input {...described} inputMode="decimal" autocomplete="off" value={value} placeholder={hint(f)} onInput={(e) => set(e.currentTarget.value)} />
      ) : open ? (
        <>
          <input {...described} autocomplete="off" value={value} placeholder={hint(f)} list={id + '-levels'} onInput={(e) => set(e.currentTarget.value)} />
          <datalist id={id + '-levels'}>{(f.levels ?? []).slice(0, 1000).map((l) => <option key={l} value={l} />)}</datalist>
        </>
      ) : (
        <select {...described} value={value} onChange={(e) => set(e.currentTarget.value)}>
          <option value="">choose …</option>
          {(f.levels ?? []).map((l) => <option key={l} value={l}>{l}{l === f.baseline ? ' (baseline)' : ''}</option>)}
        </select>
      )}
      {fault !== undefined && <span class="fault foreign" id={id + '-fault'} role="alert">{fault}</span>}
      {fault === undefined && f.role === 'group' && value !== '' && f.levels && f.levels.length < 1000 && !f.levels.includes(value) && (
        <span class="muted small">not among the {count(f.levels.length)} known: the population’s distribution</span>
      )}
    </label>
  )
}
