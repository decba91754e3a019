import { effect, signal } from '@preact/signals'

// Light or dark as the system says, unless the reader chose.

export type Theme = 'system' | 'light' | 'dark'

const name = 'credence-theme'

function stored(): Theme {
  try {
    const t = localStorage.getItem(name)
    return t === 'light' || t === 'dark' ? t : 'system'
  } catch {
    return 'system' // storage may be forbidden
  }
}

const system = matchMedia('(prefers-color-scheme: dark)')

export const theme = signal<Theme>(stored())
/** dark is what is shown now; charts draw anew when it changes. */
export const dark = signal(false)

export function cycleTheme() {
  theme.value = theme.value === 'system' ? (system.matches ? 'light' : 'dark') : theme.value === 'light' ? 'dark' : 'light'
}

export function start() {
  const apply = () => {
    const t = theme.value
    if (t === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = t
    dark.value = t === 'dark' || (t === 'system' && system.matches)
  }
  system.addEventListener('change', apply)
  effect(() => {
    apply()
    try {
      if (theme.value === 'system') localStorage.removeItem(name)
      else localStorage.setItem(name, theme.value)
    } catch {
      // Not kept then.
    }
  })
}

/** colour reads a CSS variable of the theme, for canvases: colour('--series-1'). */
export function colour(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim()
}
