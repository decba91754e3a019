import { Connection } from './Connection.tsx'
import { route } from './router.ts'
import { cycleTheme, dark } from './theme.ts'

const places = [
  { path: '/', name: 'overview', title: 'Keys' },
  { path: '/forest', name: 'forest', title: 'Forest' },
  { path: '/compare', name: 'compare', title: 'Compare' },
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
        <svg width="18" height="18" viewBox="0 0 18 18" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
          {dark.value
            ? <><circle cx="9" cy="9" r="3.4" /><path d="M9 1.2v1.6M9 15.2v1.6M1.2 9h1.6M15.2 9h1.6M3.5 3.5l1.1 1.1M13.4 13.4l1.1 1.1M3.5 14.5l1.1-1.1M13.4 4.6l1.1-1.1" /></>
            : <path d="M15.4 10.9A6.8 6.8 0 0 1 7.1 2.6a6.8 6.8 0 1 0 8.3 8.3z" />}
        </svg>
      </button>
    </header>
  )
}
