import type { ComponentChildren } from 'preact'

/** About says in a sentence what a view shows, for who sees it for the first time. */
export function About({ children }: { children: ComponentChildren }) {
  return <p class="about muted">{children}</p>
}
