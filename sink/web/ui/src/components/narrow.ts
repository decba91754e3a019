import { signal } from '@preact/signals'

const screen = matchMedia('(max-width: 640px)')

/** narrow says whether the page is on a screen as narrow as a phone's. */
export const narrow = signal(screen.matches)
screen.addEventListener('change', () => (narrow.value = screen.matches))
