import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Empty, Loading } from './components/index.ts'
import { Header } from './Header.tsx'
import { Operations } from './operations/Operations.tsx'
import { Overview } from './overview/Overview.tsx'
import { route } from './router.ts'
import { shorten } from './format.ts'

/** App shows the page that the address names. */
export function App() {
  const r = route.value
  useEffect(() => {
    document.title = (r.name === 'key' ? shorten(r.key, 60) + ' · ' : r.name === 'overview' ? '' : r.name + ' · ') + 'Credence'
  }, [r])
  return (
    <>
      <a class="skip no-print" href="#content">Skip to content</a>
      <Header />
      <main id="content" tabIndex={-1} class={'page-' + r.name}>
        {r.name === 'overview' && <Overview />}
        {r.name === 'operations' && <Operations />}
        {r.name === 'key' && <Later key={'key ' + r.key} load={keyPage} what="the model" props={{ name: r.key }} />}
        {r.name === 'forest' && <Later key="forest" load={forestPage} what="the forest plot" props={{}} />}
        {r.name === 'compare' && <Later key="compare" load={comparePage} what="the comparison" props={{}} />}
        {r.name === 'calibration' && <Later key="calibration" load={calibrationPage} what="calibration" props={{}} />}
        {r.name === 'unknown' && (
          <Empty title="Nothing here">
            <p>This address is not one of the page’s. <a href="/">All keys</a></p>
          </Empty>
        )}
      </main>
    </>
  )
}

// Pages with charts come as parts of their own, so that the list of keys is
// painted without them.
const keyPage = () => import('./key/KeyPage.tsx').then((m) => m.KeyPage)
const forestPage = () => import('./key/ForestPage.tsx').then((m) => m.ForestPage)
const comparePage = () => import('./instruments/ComparePage.tsx').then((m) => m.ComparePage)
const calibrationPage = () => import('./key/CalibrationPage.tsx').then((m) => m.CalibrationPage)

function Later<P extends object>({ load, what, props }: { load: () => Promise<ComponentType<P>>; what: string; props: P }) {
  const page = useSignal<{ type: ComponentType<P> } | 'failed' | null>(null)
  useEffect(() => {
    load().then((type) => (page.value = { type }), () => (page.value = 'failed'))
  }, [])
  if (page.value === 'failed')
    return (
      <Empty title="This part of the page did not load">
        <p>The consumer may have been replaced by a newer one: <a href={location.href} target="_self">reload the page</a>.</p>
      </Empty>
    )
  if (!page.value) return <Loading what={what} />
  const Page = page.value.type
  return <Page {...props} />
}
