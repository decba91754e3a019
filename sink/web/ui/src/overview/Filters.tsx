import { useSignal } from '@preact/signals'
import { flags, type KindInfo, type Order } from '../api/types.ts'
import { SearchBox } from '../components/index.ts'
import { localTime, zone } from '../format.ts'
import { chosenKind, kindNames, useKinds } from '../kinds.ts'
import { flagWords } from '../key/words.ts'
import { setQuery } from '../router.ts'
import type { Filter } from './keys.ts'
import { names } from './variables.ts'

/** sorts are the orders of the list; the first is that of a first visit. */
export const sorts: readonly (readonly [Order | 'key', string])[] = [
  ['certainty', 'clearest effect first'],
  ['effect', 'largest effect first'],
  ['effect_asc', 'smallest effect first'],
  ['flags', 'most flags first'],
  ['newest', 'newest record first'],
  ['rows', 'most rows first'],
  ['key', 'by key'],
]

/** windows are lengths of time that end now, in milliseconds. */
const windows: Record<string, readonly [number, string]> = {
  hour: [3_600_000, 'in the last hour'], day: [86_400_000, 'in the last day'], week: [604_800_000, 'in the last week'],
}

/** Start of what the address asks for, to the minute, so that it is the same while a page is drawn again. */
function windowStart(within: string): string {
  const length = Object.hasOwn(windows, within) ? windows[within]![0] : 0
  return length === 0 ? '' : new Date(Math.floor((Date.now() - length) / 60_000) * 60_000).toISOString()
}

/** timeOf takes a time of the address, '' where it is none. */
function timeOf(text: string | null): string {
  const time = new Date(text ?? '')
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

export type OverviewFilter = Filter & { variable: string; within: string }

/** filterOf reads the filter from the query string; what it does not know counts as none. */
export function filterOf(query: URLSearchParams, kinds: readonly KindInfo[] | undefined): OverviewFilter {
  const flag = query.get('flag')
  const within = query.get('within') ?? ''
  const variable = (query.get('variable') ?? '').slice(0, 500)
  const sort = sorts.find(([s]) => s === query.get('sort'))?.[0] ?? sorts[0]![0]
  return {
    text: (query.get('q') ?? '').slice(0, 512),
    kind: chosenKind(query, kinds),
    flag: flags.find((f) => f === flag) ?? '',
    from: windowStart(within) || (within === 'between' ? timeOf(query.get('from')) : ''),
    to: within === 'between' ? timeOf(query.get('to')) : '',
    sort: sort === 'key' ? '' : sort,
    by: variable,
    variable, within,
  }
}

/** narrows says whether a filter leaves keys out. */
export const narrows = (f: OverviewFilter) => Boolean(f.text || f.kind || f.flag || f.from || f.to)

/** nothing is the query of a list without a filter. */
export const nothing = { q: null, kind: null, flag: null, within: null, from: null, to: null }

/** Filters narrow and sort the list; their state is the query string. */
export function Filters({ filter, leave }: { filter: OverviewFilter; leave: () => void }) {
  const kinds = useKinds().value?.kinds
  return (
    <div class="filters no-print" role="search" aria-label="Filter keys">
      <SearchBox label="Search keys" value={filter.text} change={(q) => setQuery({ q })} leave={leave} />
      <select aria-label="Order of keys" value={filter.sort || 'key'} onChange={(e) => setSort(e.currentTarget.value)}>
        {sorts.map(([s, text]) => <option key={s} value={s}>{text}</option>)}
      </select>
      <select aria-label="Kind of model" value={filter.kind} onChange={(e) => setQuery({ kind: e.currentTarget.value }, { push: true })}>
        <option value="">All kinds</option>
        {kindNames(filter.kind, kinds).map((k) => <option key={k} value={k}>{k}</option>)}
      </select>
      <select aria-label="Models with a flag" value={filter.flag} onChange={(e) => setQuery({ flag: e.currentTarget.value }, { push: true })}>
        <option value="">Flags: any or none</option>
        {flags.map((f) => <option key={f} value={f}>{flagWords[f]}</option>)}
      </select>
      <Times filter={filter} />
      <Variable chosen={filter.variable} />
      {(narrows(filter) || filter.variable) && (
        <button type="button" class="quiet" onClick={() => setQuery({ ...nothing, variable: null }, { push: true })}>Clear</button>
      )}
    </div>
  )
}

/** setSort puts an order into the address, which leaves out that of a first visit. */
export function setSort(sort: string) {
  setQuery({ sort: sort === sorts[0]![0] ? null : sort }, { push: true })
}

/** Times choose when a record, or a flag, was. */
function Times({ filter }: { filter: OverviewFilter }) {
  const choose = (within: string) =>
    setQuery({ within, from: null, to: null, ...(within === 'between' ? { from: new Date(Date.now() - 86_400_000).toISOString(), to: new Date().toISOString() } : {}) }, { push: true })
  const field = (name: 'from' | 'to') => (
    <input type="datetime-local" step="1" aria-label={`${name === 'from' ? 'From' : 'To'}, ${zone(Date.now())}`} value={filter[name] && localTime(new Date(filter[name]))}
      onChange={(e) => setQuery({ [name]: timeOf(e.currentTarget.value) }, { push: true })} />
  )
  return (
    <>
      <select aria-label="Time of the record" value={filter.within} onChange={(e) => choose(e.currentTarget.value)}
        title={filter.flag ? 'Keys that had the flag then' : 'Keys that had a record then'}>
        <option value="">At any time</option>
        {Object.entries(windows).map(([w, [, text]]) => <option key={w} value={w}>{text}</option>)}
        <option value="between">between …</option>
      </select>
      {filter.within === 'between' && <>{field('from')}{field('to')}<span class="muted small">{zone(Date.now())}</span></>}
    </>
  )
}

/** Variable takes a name or a glob; what is typed counts when it is done. */
function Variable({ chosen }: { chosen: string }) {
  const draft = useSignal<string | null>(null)
  const put = (text: string) => {
    draft.value = null
    if (text.trim() !== chosen) setQuery({ variable: text.trim() }, { push: true })
  }
  return (
    <>
      <input
        class="variable-choice" list="variables" aria-label="Variable shown" placeholder="Variable: first of each" spellcheck={false} autocomplete="off"
        title="A variable or a glob such as beta[*]; empty shows the first variable of each model that is no intercept"
        value={draft.value ?? chosen}
        onInput={(e) => {
          draft.value = e.currentTarget.value
          if (names.peek().includes(e.currentTarget.value)) put(e.currentTarget.value)
        }}
        onChange={(e) => put(e.currentTarget.value)}
      />
      <datalist id="variables">{names.value.map((n) => <option key={n} value={n} />)}</datalist>
    </>
  )
}
