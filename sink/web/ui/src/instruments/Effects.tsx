import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api } from '../api/client.ts'
import type { Input, KindInfo } from '../api/types.ts'
import { Swatch } from '../charts/legend.tsx'
import { band, line, range, Sheet } from '../charts/Sheet.tsx'
import { Empty, ErrorState, Foreign, Intro, Loading, SearchBox } from '../components/index.ts'
import { count, estimate, exact, shorten } from '../format.ts'
import type { KeyModel } from '../key/model.ts'
import { fieldsOf } from '../key/predictform.ts'
import { useKinds } from '../kinds.ts'
import { useResource } from '../resource.ts'
import { responseUnit } from '../key/units.ts'
import { query, setQuery, useChoice } from '../router.ts'
import { Download } from '../download/Download.tsx'
import { changes, curvesOf, mostCurves, natural, rowsOf, settingOf, spanOf, type Curve, type Field } from './effects.ts'
import { dotsOf, middle, seenOf, type Dot } from './partial.ts'
import './instruments.css'

const every = 5_000
const newest = 128 // observed rows beside the curves
const pause = 120 // milliseconds that a slider rests before it asks

/** Effects shows what is expected as one input changes and the others stay: ?set= are those that were moved, ?inputs= a search. */
export function Effects({ model }: { model: KeyModel }) {
  const about = model.about.value
  const kinds = useKinds()
  if (!about) return model.aboutFailure.value ? <ErrorState failure={model.aboutFailure.value} what="The inputs can’t be read" retry={model.loadAbout} /> : <Loading what="the inputs" />
  if (!kinds.value) return kinds.failure ? <ErrorState failure={kinds.failure} what="The kinds can’t be read" retry={kinds.reload} /> : <Loading what="the inputs" />
  const kind = kinds.value.kinds.find((k) => k.name === about.kind)
  const fields = fieldsOf(about.inputs)
  return (
    <div class="stack">
      <Intro view="effects" />
      {kind?.ordered || fields.length === 0 ? <Empty title="No inputs to change"><p>This model predicts from the past of its own response alone: <a href="?view=predict">Predict</a> shows the next steps.</p></Empty>
        : <Curves model={model} fields={fields} response={{ name: about.inputs.find((i) => i.role === 'response')?.name ?? 'response', kind: kind?.response ?? 'real', unit: responseUnit(about, kind) }} />}
    </div>
  )
}

interface Response {
  name: string
  kind: KindInfo['response']
  unit: string
}

function Curves({ model, fields, response }: { model: KeyModel; fields: readonly Input[]; response: Response }) {
  const binary = response.kind === 'binary'
  const search = query.value.get('inputs') ?? ''
  const setting = settingOf(query.value.get('set'), fields)
  const observed = useResource((signal) => api.observed(model.key, newest, signal), [model.key], { every }).value?.rows
  const bounded = useMemo(() => natural(fields, observed ?? []), [fields, observed])
  const matching = bounded.filter((f) => f.name.toLowerCase().includes(search.toLowerCase()))
  const shown = matching.slice(0, mostCurves(fields.length))
  const chart = useRef<HTMLDivElement>(null)
  const [dots, setDots] = useChoice('dots', ['shown', 'none'])
  // Of counts a difference is no sensible residual.
  const seen = useMemo(() => (dots === 'none' || response.kind === 'count' ? [] : seenOf(observed ?? [], fields.map((f) => f.name))), [observed, fields, dots])
  const asked = [model.key, setting, shown.map((f) => [f.name, f.levels?.length, f.least]), seen.length, observed?.[observed.length - 1]?.offset]
  const answer = useResource(async (signal) => {
    const a = await api.predict(model.key, { rows: [...rowsOf(setting, shown), ...seen.map((s) => s.inputs)] }, signal)
    return a.ok ? { ok: true as const, value: { ...a.value, seen, shown } } : a
  }, asked, { every })
  // While a slider moves the curves of before stay.
  const kept = useRef<{ curves: Curve[]; here: Curve['predictions'][number] | undefined; t: number; dots: Dot[][]; seen: number }>(undefined)
  if (answer.value) {
    const { predictions, seen, t } = answer.value
    const next = curvesOf(predictions, answer.value.shown)
    kept.current = { ...next, t, dots: next.curves.map((c) => dotsOf(c, seen, next.rest, binary)), seen: seen.length }
  }
  const move = (name: string, v: string | number) => setQuery({ set: changes({ ...setting, [name]: v }, fields) })
  const now = kept.current
  const ends = now?.curves.flatMap((c) => c.predictions.flatMap((p) => [p['epred_q2.5'], p['epred_q97.5'], p.mean])) ?? []
  const [lo, hi] = binary ? [-0.03, 1.03] : range([...ends, ...(now?.dots ?? []).flatMap(middle)])
  const here = now?.here
  const expected = { mean: here?.mean ?? null, sd: here?.epred_sd ?? null, mcse_mean: null }
  const what = binary ? `probability that ${response.name} is 1` : `expected ${response.name}${response.unit && `, ${response.unit}`}`
  const beyond = (now?.dots ?? []).flat().filter((d) => d.y < lo || d.y > hi).length
  return (
    <section class="stack" ref={chart}>
      <p class="verdict" aria-live="polite">
        {here ? <>{binary ? 'Probability' : 'Expected'} here: <span title={exact(here.mean)} data-value={here.mean ?? ''}>{estimate(here.mean, expected)}</span>, with 95 % between {estimate(here['epred_q2.5'], expected)} and {estimate(here['epred_q97.5'], expected)}.</> : ' '}
      </p>
      <div class="chart-head">
        <div class="legend"><span><Swatch colour="--median" />{binary ? 'probability' : 'expected value'}</span><span><Swatch colour="--band-50" band />95 % of it</span><span><Swatch colour="--series-2" dash="dashed" />as set</span>
          {response.kind !== 'count' && <label><input type="checkbox" checked={dots === 'shown'} onChange={(e) => setDots(e.currentTarget.checked ? 'shown' : 'none')} /><svg width="10" height="10" class="sheet-key" aria-hidden="true"><circle class="partial" cx="5" cy="5" r="3" /></svg>observed</label>}
        </div>
        {changes(setting, fields) && <button type="button" class="quiet" onClick={() => setQuery({ set: null })}>Back to the means</button>}
      </div>
      {fields.length > mostCurves(fields.length) && <SearchBox value={search} change={(v) => setQuery({ inputs: v })} label="Search inputs" />}
      {answer.failure && <ErrorState failure={answer.failure} what="This can’t be predicted" retry={answer.reload} />}
      {!now && !answer.failure && <Loading what="the curves" />}
      {now && (
        <div class="effects">
          {now.curves.filter((c) => shown.some((f) => f.name === c.field.name)).map((c) => (
            <section class="effect" key={c.field.name}>
              <h3><Foreign text={c.field.name} length={40} /></h3>
              <Effect curve={c} dots={now.dots[now.curves.indexOf(c)] ?? []} at={setting[c.field.name]!} lo={lo} hi={hi} title={what} />
              <Mover field={c.field} value={setting[c.field.name]!} move={(v) => move(c.field.name, v)} />
            </section>
          ))}
        </div>
      )}
      {matching.length > shown.length && <p class="muted">The first {count(shown.length)} of {count(matching.length)} inputs: search for others. Inputs that are not shown stay where they are set.</p>}
      {now && (
        <>
          <p class="muted small">
            By the model after {count(now.t)} shards; all pictures have one vertical scale, and bands leave the spread of single values out.{' '}
            {now.seen > 0 && (binary ? `Dots are the newest ${count(now.seen)} observed rows as they came, at 0 or 1: where the curve is high more of them should be at 1.`
              : `Dots are partial residuals of the newest ${count(now.seen)} observed rows: the curve at the row’s value plus what the row differed from what the model expects of it. They should lie evenly about the curve; a bend in them is an effect that the model has not.`)}
            {beyond > 0 && ` ${count(beyond)} of them lie beyond the pictures.`}
          </p>
          <Download name={`${model.key}-effects`} chart={chart} table={() => ({
            head: ['input', 'value', 'mean', 'epred_sd', 'epred_q2.5', 'epred_q97.5', 'q2.5', 'q97.5'],
            rows: now.curves.flatMap((c) => c.predictions.map((p, i) => [c.field.name, c.values[i]!, p.mean, p.epred_sd, p['epred_q2.5'], p['epred_q97.5'], p['q2.5'], p['q97.5']])),
          })} />
        </>
      )}
    </section>
  )
}

/** Effect is one curve with its band; levels of a category are dots with their intervals. */
function Effect({ curve, dots, at, lo, hi, title }: { curve: Curve; dots: readonly Dot[]; at: string | number; lo: number; hi: number; title: string }) {
  const { field, values, predictions } = curve
  const number = field.type === 'number'
  const x = number ? (values as number[]) : values.map((_, i) => i)
  const [from, to] = number ? spanOf(field) : [-0.5, Math.max(0.5, values.length - 0.5)]
  const column = (c: 'mean' | 'epred_q2.5' | 'epred_q97.5') => predictions.map((p) => p[c])
  const mean = column('mean')
  const level = values.indexOf(at)
  const place = number ? (at as number) : level
  const first = predictions[0]
  const last = predictions[predictions.length - 1]
  const told = { mean: first?.mean ?? null, sd: first?.epred_sd ?? null, mcse_mean: null }
  const marks = number ? undefined : values.flatMap((v, i) => (i % Math.ceil(values.length / 4) === 0 ? [[i, shorten(String(v), 10)] as const] : []))
  return (
    <Sheet label={`${title} against ${field.name}`} height={190} summary={`From ${estimate(first?.mean ?? null, told)} at ${values[0]} to ${estimate(last?.mean ?? null, told)} at ${values[values.length - 1]}.`}
      x={{ lo: from, hi: to, title: shorten(field.name, 24), ...(marks ? { marks } : {}) }} y={{ lo, hi, title: shorten(title, 26) }}>
      {(area) => (
        <>
          {dots.map((d, i) => d.y >= lo && d.y <= hi && <circle key={i} class="partial" cx={area.x(number ? d.x : d.x + aside(i))} cy={area.y(d.y)} r={2} />)}
          {number ? (
            <>
              <path class="band-50" d={band(x, column('epred_q2.5'), column('epred_q97.5'), area)} />
              <path class="middle" d={line(x, mean, area)} />
            </>
          ) : x.map((v) => {
            const p = predictions[v]
            if (!p || p['epred_q2.5'] === null || p['epred_q97.5'] === null || p.mean === null) return null
            return (
              <g key={v}>
                <line class="whisker" x1={area.x(v)} x2={area.x(v)} y1={area.y(p['epred_q2.5'])} y2={area.y(p['epred_q97.5'])} />
                <circle class="spot inside" cx={area.x(v)} cy={area.y(p.mean)} r={3.5} />
              </g>
            )
          })}
          {place >= from && place <= to && <line class="as-set" x1={area.x(place)} x2={area.x(place)} y1={area.top} y2={area.bottom} />}
        </>
      )}
    </Sheet>
  )
}

/** aside moves the dots of one level apart. */
const aside = (i: number) => ((i % 9) - 4) * 0.05

/** Mover sets an input: a slider and a number, or a choice of levels. */
function Mover({ field, value, move }: { field: Field; value: string | number; move: (v: string | number) => void }) {
  const [now, setNow] = useState(value)
  useEffect(() => setNow(value), [value])
  useEffect(() => {
    if (now === value) return
    const timer = setTimeout(() => move(now), pause)
    return () => clearTimeout(timer)
  }, [now])
  if (field.type !== 'number') {
    const levels = (field.levels ?? []).slice(0, 500)
    return (
      <label class="field"><span class="visually-hidden">{field.name}</span>
        <select value={String(now)} onChange={(e) => setNow(e.currentTarget.value)}>{levels.map((l) => <option key={l} value={l}>{shorten(l, 40)}</option>)}</select></label>
    )
  }
  const [lo, hi] = spanOf(field)
  const put = (v: number) => Number.isFinite(v) && (field.role !== 'exposure' || v > 0) && setNow(v)
  return (
    <div class="mover no-print">
      <input type="range" aria-label={`Slide ${field.name}`} min={lo} max={hi} step="any" value={now} onInput={(e) => put(Number(Number(e.currentTarget.value).toPrecision(4)))} />
      <input type="number" aria-label={field.name} step="any" value={now} onChange={(e) => put(e.currentTarget.valueAsNumber)} />
    </div>
  )
}
