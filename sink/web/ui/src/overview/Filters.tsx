import { useSignal } from '@preact/signals'
import { flags, type Flag, type KindInfo } from '../api/types.ts'
import { SearchBox, terms } from '../components/index.ts'
import { chosenKind, kindNames, useKinds } from '../kinds.ts'
import { setQuery } from '../router.ts'
import type { Filter } from './keys.ts'
import { names } from './variables.ts'

const titles: Record<Flag, string> = {
  weak_r_hat: terms.weak_r_hat.title, low_ess: terms.low_ess.title, poor_calibration: terms.poor_calibration.title,
  prior_dominated: terms.prior_dominated.title, model: terms.model.title,
}

/** filterOf reads the filter from the query string; what it does not know counts as none. */
export function filterOf(query: URLSearchParams, kinds: readonly KindInfo[] | undefined): Filter & { variable: string } {
  const flag = query.get('flag')
  return {
    text: (query.get('q') ?? '').slice(0, 512),
    kind: chosenKind(query, kinds),
    flag: flags.find((f) => f === flag) ?? '',
    variable: (query.get('variable') ?? '').slice(0, 500),
  }
}

/** Filters narrow the list; their state is the query string. */
export function Filters({ filter, leave }: { filter: Filter & { variable: string }; leave: () => void }) {
  const kinds = useKinds().value?.kinds
  return (
    <div class="filters no-print" role="search" aria-label="Filter keys">
      <SearchBox label="Search keys" value={filter.text} change={(q) => setQuery({ q })} leave={leave} />
      <select aria-label="Kind of model" value={filter.kind} onChange={(e) => setQuery({ kind: e.currentTarget.value }, { push: true })}>
        <option value="">All kinds</option>
        {kindNames(filter.kind, kinds).map((k) => <option key={k} value={k}>{k}</option>)}
      </select>
      <select aria-label="Models with a flag" value={filter.flag} onChange={(e) => setQuery({ flag: e.currentTarget.value }, { push: true })}>
        <option value="">Flags: any</option>
        {flags.map((f) => <option key={f} value={f}>{titles[f]}</option>)}
      </select>
      <Variable chosen={filter.variable} />
      {(filter.text || filter.kind || filter.flag || filter.variable) && (
        <button type="button" class="quiet" onClick={() => setQuery({ q: null, kind: null, flag: null, variable: null }, { push: true })}>Clear</button>
      )}
    </div>
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
        title="A variable or a glob such as beta[*]; empty shows the first variable of each model"
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
