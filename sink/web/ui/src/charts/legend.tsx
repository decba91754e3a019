import type { ComponentChildren } from 'preact'
import './charts.css'

/** Dash patterns tell the lines of a chart apart without colour. */
export const dashes = { solid: [], dashed: [7, 5], dotted: [2, 4] } as const

/** Swatch is the piece of line or band that stands in a legend. */
export function Swatch({ colour, dash = 'solid', band }: { colour: string; dash?: keyof typeof dashes; band?: boolean }) {
  return (
    <svg width="26" height="12" aria-hidden="true">
      {band ? (
        <rect x="0" y="1" width="26" height="10" fill={`var(${colour})`} />
      ) : (
        <line x1="0" x2="26" y1="6" y2="6" stroke={`var(${colour})`} stroke-width="2.25" stroke-dasharray={dashes[dash].join(' ')} />
      )}
    </svg>
  )
}

/** Choice is a row of buttons of which one is pressed. */
export function Choice<T extends string>({ label, options, chosen, choose }: {
  label: string
  options: readonly (readonly [T, ComponentChildren])[]
  chosen: T
  choose: (id: T) => void
}) {
  return (
    <span class="small-choice no-print" role="group" aria-label={label}>
      {options.map(([id, text]) => (
        <button key={id} type="button" aria-pressed={id === chosen} onClick={() => choose(id)}>
          {text}
        </button>
      ))}
    </span>
  )
}
