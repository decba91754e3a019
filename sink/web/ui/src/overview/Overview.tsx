import { useComputed, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Empty, ErrorState, Command, Labelled, Loading, VirtualList } from '../components/index.ts'
import { count } from '../format.ts'
import { useKinds } from '../kinds.ts'
import { live } from '../live.ts'
import { keyPath, navigate, query, setQuery } from '../router.ts'
import { Details } from './details.ts'
import { Filters, filterOf } from './Filters.tsx'
import { Keys, type KeysState } from './keys.ts'
import { KeyRow, said, type Size } from './KeyRow.tsx'
import { NotReady, Totals, useOperations } from './Totals.tsx'
import './overview.css'

// Kept while other pages are shown, so that coming back is at once and where it was.
const keys = new Keys()
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
  useEffect(() => keys.narrow(filter), [filter.text, filter.kind, filter.flag])
  useEffect(() => details.choose(filter.variable), [filter.variable])
  useLive()

  return (
    <div class="overview">
      <NotReady operations={operations} />
      <div class="overview-top">
        <h1 class="visually-hidden">Keys</h1>
        <Filters filter={filter} leave={() => grid.current?.focus()} />
        <Totals operations={operations} />
      </div>
      <List state={state} size={size} grid={grid} filtered={filter.text !== '' || filter.kind !== '' || filter.flag !== ''} input={operations.value?.input ?? 'TOPIC'} />
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

function List({ state, size, grid, filtered, input }: {
  state: KeysState
  size: Size
  grid: RefObject<HTMLDivElement | null>
  filtered: boolean
  input: string
}) {
  const active = useSignal(memory.active)
  const { shown } = state
  const index = useComputed(() => (active.value ? keys.state.value.shown.indexOf(active.value) : -1))
  if (state.failure && shown.length === 0) return <ErrorState failure={state.failure} what="The keys can’t be listed" retry={() => void keys.load()} />
  if (state.loading && shown.length === 0) return <Loading what="keys" />
  if (shown.length === 0 && !filtered) return <NoKeys input={input} />
  if (shown.length === 0)
    return (
      <Empty title="No key matches">
        <p class="muted">Flags and calibration are known for keys that changed since this process started, on the partitions it works on.</p>
        <div><button type="button" onClick={() => setQuery({ q: null, kind: null, flag: null })}>Show all keys</button></div>
      </Empty>
    )
  return (
    <>
      <VirtualList
        rows={shown.length} of={shown} height={size === 'narrow' ? 64 : 38} label="Keys" columns={9} grid={grid} memory={memory}
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
        seen={({ from, to }) => details.see(shown.slice(from, to))}
        head={<Head />}
      />
      <p class="list-foot muted" role="status">
        {state.loading ? `Loading: ${count(state.loaded)} keys so far` : `${count(shown.length)} of ${count(state.total)} keys`}
        {state.capped && '; the first of them are listed, search finds the others'}
        {state.failure && ` · not up to date: ${state.failure.message}`}
      </p>
      <p class="visually-hidden" aria-live="polite">{index.value >= 0 && active.value ? said(details.detail(active.value), Date.now()) : ''}</p>
    </>
  )
}

function Head() {
  return (
    <>
      <div role="columnheader" class="cell key"><Labelled text="Key" term="key" /></div>
      <div role="columnheader" class="cell kind">Kind</div>
      <div role="columnheader" class="cell variable">Variable</div>
      <div role="columnheader" class="cell bands"><Labelled text="Newest shards" term="band" /></div>
      <div role="columnheader" class="cell mean number"><Labelled text="Mean ± sd" term="meanSd" /></div>
      <div role="columnheader" class="cell rows number"><Labelled text="Rows" term="n" /></div>
      <div role="columnheader" class="cell age number"><Labelled text="Age" term="age" /></div>
      <div role="columnheader" class="cell coverage number"><Labelled text="Coverage" term="coverage" /></div>
      <div role="columnheader" class="cell flags"><Labelled text="Flags" term="flags" /></div>
    </>
  )
}

function NoKeys({ input }: { input: string }) {
  return (
    <Empty title="No keys yet">
      <p>A key appears here with the first checkpoint of its first shard. Send some rows to the input topic:</p>
      <Command text={`producer replay --input FILE.csv --key-column COLUMN --rows 100 --topic ${input} --brokers HOST:9092`} />
      <p class="muted">
        Nothing at hand? <code>consumer demo</code> brings data, a broker and a store of its own. Sent something already? Records that no model
        matches become <a href="/operations#dead-letters">dead letters</a>, and <code>consumer check --config FILE</code> finds the commonest mistakes.
      </p>
    </Empty>
  )
}
