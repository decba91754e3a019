import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../api/client.ts'
import { Command, ErrorState, Intro, Loading } from '../components/index.ts'
import { count, estimate, exact, percent } from '../format.ts'
import type { KeyModel } from '../key/model.ts'
import { useResource } from '../resource.ts'
import { query, setQuery } from '../router.ts'
import { Download } from '../download/Download.tsx'
import { expressionOf, firstContrast, quantityYaml, termsOf, type Term } from './expression.ts'
import { LawChart } from './LawChart.tsx'
import './instruments.css'

const every = 5_000

/** Contrast builds a combination of variables and shows its law: ?of= and ?name=. */
export function Contrast({ model }: { model: KeyModel }) {
  const variables = model.rows.value.map((r) => r.variable)
  const of = query.value.get('of') || expressionOf(firstContrast(variables))
  const name = query.value.get('name') ?? ''
  return (
    <div class="stack">
      <Intro view="contrast" />
      <Builder of={of} variables={variables} />
      {of && <Law model={model} of={of} />}
      {of && (
        <section class="stack contrast-publish">
          <h3>Publish it with every shard</h3>
          <label class="field contrast-name"><span>name of the quantity</span>
            <input value={name} maxLength={100} autocomplete="off" spellcheck={false} placeholder="lift" onInput={(e) => setQuery({ name: e.currentTarget.value })} /></label>
          <Command text={quantityYaml(of, name)} label="below the model’s entry in the configuration" />
        </section>
      )}
    </div>
  )
}

const choose = (of: string) => setQuery({ of })

/** Builder is the expression as terms, where it is a sum of them, and as text. */
function Builder({ of, variables }: { of: string; variables: readonly string[] }) {
  const read = termsOf(of)
  const [terms, setTerms] = useState<Term[]>(read ?? [])
  const [text, setText] = useState(of)
  useEffect(() => {
    setText(of)
    if (read && expressionOf(terms) !== of) setTerms(read)
  }, [of])
  const put = (next: Term[]) => {
    setTerms(next)
    const written = expressionOf(next)
    if (written) choose(written)
  }
  const change = (i: number, to: Partial<Term>) => put(terms.map((t, j) => (j === i ? { ...t, ...to } : t)))
  return (
    <form class="stack contrast" onSubmit={(e) => { e.preventDefault(); choose(text.trim()) }}>
      <datalist id="contrast-variables">{variables.map((v) => <option key={v} value={v} />)}</datalist>
      {read === null && of !== '' ? <p class="muted">This expression is more than a sum of variables: change it as text, or <button type="button" class="link" onClick={() => put(firstContrast(variables))}>begin anew</button>.</p> : (
        <div class="contrast-terms">
          {terms.map((t, i) => (
            <div class="contrast-term" key={i}>
              <label class="field weight"><span>weight</span>
                <input type="number" step="any" value={t.weight} onInput={(e) => e.currentTarget.value !== '' && Number.isFinite(e.currentTarget.valueAsNumber) && change(i, { weight: e.currentTarget.valueAsNumber })} /></label>
              <label class="field"><span>variable</span>
                <input list="contrast-variables" value={t.variable} autocomplete="off" spellcheck={false} aria-invalid={t.variable !== '' && !variables.includes(t.variable)}
                  onChange={(e) => change(i, { variable: e.currentTarget.value })} /></label>
              {terms.length > 1 && <button type="button" class="quiet" aria-label={`Remove ${t.variable || 'this variable'}`} onClick={() => put(terms.filter((_, j) => j !== i))}>×</button>}
            </div>
          ))}
          <button type="button" onClick={() => setTerms([...terms, { variable: '', weight: -1 }])}>Add a variable</button>
        </div>
      )}
      <div class="row contrast-text">
        <label class="field"><span>as text</span>
          <input class="mono" value={text} maxLength={1000} autocomplete="off" spellcheck={false} onInput={(e) => setText(e.currentTarget.value)} onChange={(e) => choose(e.currentTarget.value.trim())} /></label>
        <button type="submit" class="primary">Show</button>
      </div>
    </form>
  )
}

const columns = ['mean', 'sd', 'q2.5', 'q5', 'q25', 'median', 'q75', 'q95', 'q97.5', 'mcse_mean', 'ess_bulk', 'ess_tail', 'r_hat'] as const

function Law({ model, of }: { model: KeyModel; of: string }) {
  const chart = useRef<HTMLDivElement>(null)
  const answer = useResource((signal) => api.contrast(model.key, of, signal), [model.key, of], { every })
  if (answer.failure && !answer.value) return <ErrorState failure={answer.failure} what="This contrast has no answer" retry={answer.reload} />
  if (!answer.value) return <Loading what="the contrast" />
  const { law, above_zero: above, mcse_above_zero: mcse, t, n } = answer.value
  return (
    <section class="stack contrast-law" aria-label="Law of the contrast" ref={chart}>
      <p class="verdict" data-value={above ?? ''} title={exact(above)}>{sentence(above)}</p>
      <dl class="facts">
        <div><dt>median</dt><dd><b title={exact(law.median)} data-value={law.median ?? ''}>{estimate(law.median, law)}</b></dd></div>
        <div><dt>95 % between</dt><dd title={`${exact(law['q2.5'])} to ${exact(law['q97.5'])}`}>{estimate(law['q2.5'], law)} and {estimate(law['q97.5'], law)}</dd></div>
        <div><dt>mean ± sd</dt><dd title={`${exact(law.mean)} ± ${exact(law.sd)}`}>{estimate(law.mean, law)} ± {estimate(law.sd, law)}</dd></div>
        <div><dt>above 0</dt><dd title={exact(above)}>{percent(above)}{mcse ? ` ± ${percent(mcse)}` : ''}</dd></div>
      </dl>
      <LawChart name={of} row={law} />
      <p class="muted small">Dark 50 %, light 95 %, line the median; dashed at 0. After {count(t)} shards, {count(n)} rows. {mcse ? 'Counted from draws: ± is their error.' : ''}</p>
      <Download name={`${model.key}-contrast`} chart={chart}
        table={() => ({ head: ['of', 't', 'n', 'above_zero', 'mcse_above_zero', ...columns], rows: [[of, t, n, above, mcse, ...columns.map((c) => law[c])]] })} />
    </section>
  )
}

/** sentence says in words how sure the sign is. */
export function sentence(above: number | null): string {
  if (above === null) return 'The probability of its sign is not known.'
  const [sure, side] = above >= 0.5 ? [above, 'above'] : [1 - above, 'below']
  const how = sure > 0.9995 ? 'more than 99.9 %' : percent(sure)
  return sure < 0.9 ? `It could be on either side of 0: ${how} ${side}.` : `It is ${side} 0 with probability ${how}.`
}
