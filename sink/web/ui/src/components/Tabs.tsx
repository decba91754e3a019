import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

export interface Tab {
  id: string
  title: ComponentChildren
}

/** Tabs shows one of several panels; arrows move between the tabs. */
export function Tabs({ tabs, chosen, choose, label, children }: {
  tabs: readonly Tab[]
  chosen: string
  choose: (id: string) => void
  label: string
  children: ComponentChildren
}) {
  const list = useRef<HTMLDivElement>(null)
  const at = Math.max(0, tabs.findIndex((t) => t.id === chosen))
  const move = (event: KeyboardEvent) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const tab = tabs[(to + tabs.length) % tabs.length]
    if (!tab) return
    choose(tab.id)
    list.current?.querySelector<HTMLElement>(`#${CSS.escape('tab-' + tab.id)}`)?.focus()
  }
  return (
    <div class="tabs">
      <div class="tab-list no-print" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((t, i) => (
          <button
            key={t.id} type="button" role="tab" id={'tab-' + t.id} aria-selected={i === at}
            aria-controls={'panel-' + t.id} tabIndex={i === at ? 0 : -1} onClick={() => choose(t.id)}
          >
            {t.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={'panel-' + (tabs[at]?.id ?? '')} aria-labelledby={'tab-' + (tabs[at]?.id ?? '')} tabIndex={0}>
        {children}
      </div>
    </div>
  )
}
