import { useId, useRef } from 'preact/hooks'
import { terms, type TermName } from './terms.ts'

/** Help is a small button beside a word; it opens a short explanation of it. */
export function Help({ term }: { term: TermName }) {
  const id = 'help-' + useId()
  const button = useRef<HTMLButtonElement>(null)
  const pop = useRef<HTMLDivElement>(null)
  const { title, text } = terms[term]
  const place = () => {
    const at = button.current?.getBoundingClientRect()
    const box = pop.current
    if (!at || !box) return
    const width = Math.min(320, innerWidth - 16)
    const below = at.bottom + 6 + box.offsetHeight < innerHeight
    box.style.width = width + 'px'
    box.style.left = Math.max(8, Math.min(at.left - 12, innerWidth - width - 8)) + 'px'
    box.style.top = (below ? at.bottom + 6 : Math.max(8, at.top - 6 - box.offsetHeight)) + 'px'
  }
  return (
    <span class="help no-print">
      <button ref={button} type="button" class="help-button" popovertarget={id} aria-label={`What is ${title}?`}>
        ?
      </button>
      <div ref={pop} id={id} popover="auto" class="help-text" onToggle={(e) => (e as ToggleEvent).newState === 'open' && place()}>
        <strong>{title}</strong>
        <p>{text}</p>
      </div>
    </span>
  )
}

/** Labelled is a word with its explanation. */
export function Labelled({ text, term }: { text: string; term: TermName }) {
  return (
    <span class="labelled">
      {text}
      <Help term={term} />
    </span>
  )
}
