import { useEffect, useMemo, useState } from 'preact/hooks'
import { api } from '../api/client.ts'
import { Choice } from '../charts/legend.tsx'
import { Forest } from '../charts/Forest.tsx'
import { Empty, ErrorState, Foreign, Intro, Loading } from '../components/index.ts'
import { count, visible } from '../format.ts'
import { useKinds } from '../kinds.ts'
import { keyPath, query, setQuery } from '../router.ts'
import { useResource } from '../resource.ts'
import { acrossKeys, mostKeys, variablesOf } from './acrosskeys.ts'
import { sensible } from './rows.ts'
import { unitOf } from './units.ts'
import './key.css'

/** ForestPage compares one variable across keys: ?variable=, ?prefix= and ?sort=. */
export function ForestPage() {
  const prefix = query.value.get('prefix') ?? ''
  const names = useResource((signal) => variablesOf(prefix, signal), [prefix])
  const variable = query.value.get('variable') || sensible(names.value ?? [])
  const sort = query.value.get('sort') === 'key' ? 'key' : 'median'
  const answer = useResource(
    async (signal) => (variable ? acrossKeys(variable, prefix, signal) : { ok: true as const, value: { lines: [], keys: 0, more: false } }),
    [variable, prefix], { every: 5_000 })
  const lines = useMemo(() => {
    // The API lists in byte order already.
    const list = [...(answer.value?.lines ?? [])]
    if (sort === 'median') list.sort((a, b) => (b.row.median ?? -Infinity) - (a.row.median ?? -Infinity))
    return list.map(({ key, row }) => ({ id: key, name: key, row, label: <a href={`${keyPath(key)}?variable=${encodeURIComponent(variable)}`}><Foreign text={key} length={40} /></a> }))
  }, [answer.value, sort, variable])
  const first = answer.value?.lines[0]?.key
  const about = useResource((signal) => (first === undefined ? Promise.resolve({ ok: true as const, value: null }) : api.about(first, signal)), [first]).value
  const unit = unitOf(variable, about, useKinds().value?.kinds.find((k) => k.name === about?.kind))
  return (
    <div class="stack">
      <h1>One variable across keys</h1>
      <Intro view="forest" />
      <div class="row across-filters">
        <Typed label="variable" value={variable} change={(v) => setQuery({ variable: v })} options={names.value ?? []} />
        <Typed label="keys that start with" value={prefix} change={(v) => setQuery({ prefix: v })} options={[]} />
        <span class="field"><span>sorted by</span><Choice label="Sort" chosen={sort} choose={(s) => setQuery({ sort: s === 'key' ? 'key' : null })} options={[['median', 'median'], ['key', 'key']]} /></span>
      </div>
      {answer.failure && !answer.value ? <ErrorState failure={answer.failure} what="The keys can’t be read" retry={answer.reload} />
        : !answer.value || (!variable && names.loading) ? <Loading what="the keys" />
        : answer.value.keys === 0 ? <Empty title={prefix ? 'No key starts with this' : 'No model yet'}><p>{prefix ? 'Keys are told apart by case.' : 'Models appear with the first checkpoint.'}</p></Empty>
        : lines.length === 0 ? <Empty title="No key has this variable"><p><span class="foreign">{variable}</span> is in none of the {count(answer.value.keys)} keys looked at.</p></Empty>
        : (
          <section class="card stack">
            <p class="muted">
              {count(lines.length)} {lines.length === 1 ? 'key has' : 'keys have'} <span class="foreign">{variable}</span>: thick 50 %, thin 95 %, ring median; an arrow goes on beyond the picture.
              {answer.value.more && ` Only the first ${count(mostKeys)} keys are shown: narrow them by how they start.`}
            </p>
            <Forest lines={lines} label={`${variable} across keys`} title={visible(variable) + (unit && `, ${unit}`)} noun={['key', 'keys']} most={28} fence file={`${variable}-across-keys`} />
          </section>
        )}
    </div>
  )
}

/** Typed is a text field that takes effect on Enter, on leaving it, or half a second after the last key. */
function Typed({ label, value, change, options }: { label: string; value: string; change: (v: string) => void; options: readonly string[] }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => change(text), 500)
    return () => clearTimeout(timer)
  }, [text])
  const id = 'list-' + label.replace(/ /g, '-')
  return (
    <label class="field">
      <span>{label}</span>
      <input value={text} list={options.length > 0 ? id : undefined} autocomplete="off" spellcheck={false} maxLength={512}
        onInput={(e) => setText(e.currentTarget.value)} onBlur={() => text !== value && change(text)} onKeyDown={(e) => e.key === 'Enter' && change(text)} />
      {options.length > 0 && <datalist id={id}>{options.map((o) => <option key={o} value={o} />)}</datalist>}
    </label>
  )
}
