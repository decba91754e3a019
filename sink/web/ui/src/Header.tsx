import { Connection } from './Connection.tsx'
import { route } from './router.ts'
import { cycleTheme, dark } from './theme.ts'

const places = [
  { path: '/', name: 'overview', title: 'Keys' },
  { path: '/forest', name: 'forest', title: 'Forest' },
  { path: '/calibration', name: 'calibration', title: 'Calibration' },
  { path: '/operations', name: 'operations', title: 'Operations' },
] as const

/** Header leads to the pages and shows the connection. */
export function Header() {
  const here = route.value.name
  return (
    <header class="header no-print">
      <a class="brand" href="/"><span class="brand-mark" aria-hidden="true" />Credence</a>
      <nav aria-label="Pages">
        {places.map((p) => (
          <a key={p.path} href={p.path} aria-current={p.name === here || (p.name === 'overview' && here === 'key') ? 'page' : undefined}>
            {p.title}
          </a>
        ))}
      </nav>
      <Connection />
      <button type="button" class="quiet theme-switch" onClick={cycleTheme} aria-label={dark.value ? 'Use light colours' : 'Use dark colours'}>
        <span class={dark.value ? 'sun' : 'moon'} aria-hidden="true" />
      </button>
    </header>
  )
}
