import { useEffect, useRef } from 'preact/hooks'

/** SearchBox takes text; "/" anywhere on the page focuses it, Escape empties it. */
export function SearchBox({ value, change, label, leave }: {
  value: string
  change: (text: string) => void
  label: string
  /** Called on Enter and the down arrow, to move on to what was found. */
  leave?: () => void
}) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const at = event.target as HTMLElement | null
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || at?.closest('input, textarea, select, [contenteditable]')) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && value) {
      event.preventDefault()
      change('')
    } else if ((event.key === 'Enter' || event.key === 'ArrowDown') && leave) {
      event.preventDefault()
      leave()
    }
  }
  return (
    <label class="search">
      <span class="visually-hidden">{label}</span>
      <input
        ref={input} type="search" value={value} placeholder={label} autocomplete="off" spellcheck={false} maxLength={512}
        aria-keyshortcuts="/" onInput={(e) => change(e.currentTarget.value)} onKeyDown={keys}
      />
      <kbd aria-hidden="true" title="Press / to search">/</kbd>
    </label>
  )
}
