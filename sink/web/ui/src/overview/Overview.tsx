import { useComputed, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Empty, ErrorState, Command, Intro, Labelled, Loading, Plain, VirtualList, type TermName } from '../components/index.ts'
import { beyond } from '../api/result.ts'
import { absolute, count } from '../format.ts'
import { useKinds } from '../kinds.ts'
import { live } from '../live.ts'
import { keyPath, navigate, query, setQuery } from '../router.ts'
import { Download } from '../download/Download.tsx'
import { Details } from './details.ts'
import { Filters, filterOf, narrows, nothing, setSort } from './Filters.tsx'
import { Keys, type KeysState } from './keys.ts'
import { KeyRow, said, type Size } from './KeyRow.tsx'
import { listed, mostListed } from './listed.ts'
import { NotReady, Totals, useOperations } from './Totals.tsx'
import './overview.css'

/** Milliseconds for which the list waits for the place of the live points; a proxy may hold their stream back. */
const placing = 1000

// Kept while other pages are shown, so that coming back is at once and where it was.
const keys = new Keys(() => live.placed(placing))
const details = new Details()
const memory = { top: 0, active: '' }

const narrowScreen = matchMedia('(max-width: 760px)')
const wideScreen = matchMedia('(min-width: 1800px)')
const sizeNow = (): Size => (narrowScreen.matches ? 'narrow' : wideScreen.matches ? 'wide' : 'middle')

/** Overview lists the keys with what is known of each. */
export function Overview() {
  const filter = filterOf(query.value, useKinds().value?.kinds)
  const operations = useOperations()
  const size = useSize()
  const grid = useRef<HTMLDivElement | null>(null)
  const state = keys.state.value
  useEffect(() => keys.narrow(filter), [filter.text, filter.kind, filter.flag, filter.from, filter.to, filter.sort, filter.by])
  useEffect(() => details.choose(filter.variable), [filter.variable])
  useLive()

  return (
    <div class="overview">
      <NotReady operations={operations} />
      <div class="overview-top">
        <h1 class="visually-hidden">Keys</h1>
        <Filters filter={filter} leave={() => grid.current?.focus()} />
        <Totals operations={operations} keys={state.total} />
        <Intro view="keys" />
      </div>
      <List state={state} size={size} grid={grid} filtered={narrows(filter)} sort={filter.sort} commands={operations.value?.commands ?? {}} partly={beyond(operations.failure)} />
    </div>
  )
}

function useSize(): Size {
  const size = useSignal(sizeNow())
  useEffect(() => {
    const change = () => (size.value = sizeNow())
    for (const m of [narrowScreen, wideScreen]) m.addEventListener('change', change)
    return () => {
      for (const m of [narrowScreen, wideScreen]) m.removeEventListener('change', change)
    }
  }, [])
  return size.value
}

function useLive() {
  const globs = details.globs.value
  useEffect(() => live.ask({ every: 250, variables: globs }), [globs])
  useEffect(() => {
    const stop = details.start()
    const silent = live.listen({
      points: (points) => {
        keys.seen(points)
        details.patch(points)
      },
      deleted: (key) => {
        keys.removed(key)
        details.removed(key)
      },
      reset: () => {
        void keys.load()
        details.forget()
      },
    })
    return () => {
      stop()
      silent()
    }
  }, [])
}

/** Rows before the end of the list at which more are asked for. */
const nearEnd = 100

/** Milliseconds between two orders of a list that nobody has begun to read. */
const again = 10_000

/** useOrder keeps a sorted list in order until it is read: rows must not move under the reader. */
function useOrder(sorted: boolean) {
  useEffect(() => {
    if (!sorted) return
    const timer = setInterval(() => {
      if (!document.hidden && memory.top === 0 && memory.active === '' && !keys.state.peek().loading) void keys.load()
    }, again)
    return () => clearInterval(timer)
  }, [sorted])
}

function List({ state, size, grid, filtered, sort, commands, partly }: {
  state: KeysState
  size: Size
  grid: RefObject<HTMLDivElement | null>
  filtered: boolean
  sort: string
  commands: Record<string, string>
  /** Whoever looks may not see all keys. */
  partly: boolean
}) {
  useOrder(sort !== '')
  const active = useSignal(memory.active)
  const { shown } = state
  const index = useComputed(() => (active.value ? keys.state.value.shown.indexOf(active.value) : -1))
  if (state.failure && shown.length === 0) return <ErrorState failure={state.failure} what="The keys can’t be listed" retry={() => void keys.load()} />
  if (state.loading && shown.length === 0) return <Loading what="keys" />
  if (shown.length === 0 && !filtered) return partly ? <NoKeyOfTheToken /> : <NoKeys commands={commands} />
  if (shown.length === 0 && state.more === 'follow')
    return (
      <Empty title="No key matches so far">
        <p class="muted">There are many keys; not all were looked at.</p>
        <div><button type="button" disabled={state.loading} onClick={() => void keys.more()}>Look on</button></div>
      </Empty>
    )
  if (shown.length === 0)
    return (
      <Empty title="No key matches">
        <p class="muted">Flags, times and calibration are known for keys that changed since this process started, on the partitions it works on.</p>
        <div><button type="button" onClick={() => setQuery(nothing)}>Show all keys</button></div>
      </Empty>
    )
  return (
    <>
      <VirtualList
        rows={shown.length} of={shown} height={size === 'narrow' ? 84 : 38} label="Keys" columns={9} grid={grid} memory={memory}
        active={index.value}
        activate={(i) => (active.value = memory.active = shown[i] ?? '')}
        open={(i) => {
          const key = shown[i]
          if (key !== undefined) navigate(keyPath(key))
        }}
        row={(i) => {
          const key = shown[i] as string
          return { key, cells: <KeyRow detail={details.detail(key)} size={size} /> }
        }}
        seen={({ from, to }) => {
          details.see(shown.slice(from, to))
          if (to > shown.length - nearEnd) void keys.more()
        }}
        head={<Head sort={sort} />}
      />
      <div class="list-foot muted">
        <p role="status">{state.loading ? `Loading: ${count(state.loaded)} keys so far` : `${count(shown.length)} of ${count(state.total)} keys`}
        {!state.loading && state.more !== 'none' && (state.more === 'follow' ? '; more follow at the end of the list, search finds any' : '; search and filters find the others')}
        {state.sortedAt !== null && <> · in order as of {absolute(state.sortedAt)} <button type="button" class="link" onClick={() => void keys.load()}>sort anew</button></>}
        {state.failure && ` · not up to date: ${state.failure.message}`}</p>
        <Download name={shown.length > mostListed ? `first-${mostListed}-keys` : 'keys'} table={() => listed(shown, details.globs.peek())} />
      </div>
      <p class="visually-hidden" aria-live="polite">{index.value >= 0 && active.value ? said(details.detail(active.value), Date.now()) : ''}</p>
    </>
  )
}

/** sortable are the columns by which the list can be sorted, with the orders that a click goes through. */
const sortable: Record<string, readonly string[]> = { key: ['key'], mean: ['effect', 'effect_asc', 'certainty'], rows: ['rows'], age: ['newest'], flags: ['flags'] }
const ascending = ['key', 'effect_asc', 'newest'] // the age grows

function Head({ sort }: { sort: string }) {
  const head = (column: string, text: string, term: TermName | null, number = false) => {
    const orders = sortable[column]
    const at = orders?.indexOf(sort || 'key') ?? -1
    const chosen = at >= 0 && orders ? orders[at]! : ''
    const title = term ? <Labelled text={text} term={term} /> : text
    return (
      <div role="columnheader" class={`cell ${column}${number ? ' number' : ''}`}
        aria-sort={!orders ? undefined : chosen === '' ? 'none' : chosen === 'certainty' ? 'other' : ascending.includes(chosen) ? 'ascending' : 'descending'}>
        {title}
        {orders && (
          <button type="button" class="sort" aria-label={`Sort by ${text}`} title={`Sort by ${text}`} onClick={() => setSort(orders[(at + 1) % orders.length]!)}>
            {chosen === '' ? '↕' : chosen === 'certainty' ? '◆' : ascending.includes(chosen) ? '↑' : '↓'}
          </button>
        )}
      </div>
    )
  }
  return (
    <>
      {head('key', 'Key', 'key')}
      {head('kind', 'Kind', null)}
      {head('variable', 'Variable', null)}
      {head('bands', 'Newest shards', 'band')}
      {head('mean', 'Mean ± sd', 'meanSd', true)}
      {head('rows', 'Rows', 'n', true)}
      {head('age', 'Age', 'age', true)}
      {head('coverage', 'Coverage', 'coverage', true)}
      {head('flags', 'Flags', 'flags')}
    </>
  )
}

function NoKeyOfTheToken() {
  return (
    <Empty title="No keys yet">
      <p>No key that your token is for has a posterior. One appears here with the first checkpoint of its first shard.</p>
    </Empty>
  )
}

function NoKeys({ commands }: { commands: Record<string, string> }) {
  return (
    <Empty title="No keys yet">
      <p>A key appears here with the first checkpoint of its first shard. Send some rows to the input topic:</p>
      {commands['replay'] && <Command text={commands['replay']} />}
      <p class="muted">
        {commands['demo'] && <Plain text={`Nothing at hand? \`${commands['demo']}\` brings data, a broker and a store of its own. `} />}
        Sent something already? Records that no model matches become <a href="/operations#dead-letters">dead letters</a>
        {commands['check'] && <Plain text={`, and \`${commands['check']}\` finds the commonest mistakes`} />}.
      </p>
    </Empty>
  )
}
