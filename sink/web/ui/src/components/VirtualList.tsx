import { useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useId, useLayoutEffect } from 'preact/hooks'

// Browsers cap the height of an element near 17 million pixels (Firefox); above
// this the scroll bar moves over the list faster than the rows.
const tallest = 12_000_000
const around = 6

/** window of rows that are to be rendered: [from, to). */
export interface Span {
  from: number
  to: number
}

/** spanAt tells the rows in view and the offset of the first one rendered, in pixels from the top of the content. */
export function spanAt(scroll: number, view: number, rows: number, height: number): Span & { top: number; content: number } {
  const true_ = rows * height
  const content = Math.min(true_, tallest)
  const most = Math.max(0, content - view)
  const at = Math.max(0, Math.min(scroll, most))
  // Position in the uncompressed list; the identity unless it is too tall.
  const position = most === 0 || true_ === content ? at : (at / most) * (true_ - view)
  const first = Math.floor(position / height)
  const from = Math.max(0, first - around)
  const to = Math.min(rows, Math.ceil((position + view) / height) + around)
  return { from, to, top: at - (position - from * height), content }
}

/**
 * VirtualList renders the rows in view of a list of any length as an ARIA grid.
 * The focus stays on the grid, its active row is told by aria-activedescendant:
 * arrows, Page, Home and End move it, Enter opens it.
 */
export function VirtualList({ rows, of, height, label, columns, active, activate, open, row, seen, head, grid, memory }: {
  rows: number
  /** The list itself: seen is told when it is another. */
  of: unknown
  /** Of a row, in pixels. */
  height: number
  label: string
  columns: number
  active: number
  activate: (index: number) => void
  open: (index: number) => void
  /** Renders the cells of a row. */
  row: (index: number) => { key: string; cells: ComponentChildren }
  /** Told after each change of what is in view. */
  seen: (span: Span) => void
  head: ComponentChildren
  grid: RefObject<HTMLDivElement | null>
  /** Keeps the place in the list while it is not shown. */
  memory: { top: number }
}) {
  const scroll = useSignal(0)
  const view = useSignal(600)
  const id = useId()
  const span = spanAt(scroll.value, view.value, rows, height)

  useLayoutEffect(() => {
    const box = grid.current
    if (!box) return
    // The head sticks to the top and takes its part of the height.
    const measure = () => (view.value = box.clientHeight - (box.firstElementChild?.clientHeight ?? 0))
    measure()
    box.scrollTop = memory.top
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  useEffect(() => seen({ from: span.from, to: span.to }), [span.from, span.to, of])

  const reveal = (index: number) => {
    const box = grid.current
    if (!box) return
    const all = rows * height
    const scale = all > span.content ? Math.max(0, span.content - view.value) / (all - view.value) : 1
    const top = index * height * scale
    const bottom = top + height
    if (top < box.scrollTop) box.scrollTop = top
    else if (bottom > box.scrollTop + view.value) box.scrollTop = bottom - view.value
  }
  const keys = (event: KeyboardEvent) => {
    if (rows === 0) return
    const page = Math.max(1, Math.floor(view.value / height) - 1)
    const to = {
      ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: rows - 1,
    }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      const index = Math.max(0, Math.min(rows - 1, to))
      activate(index)
      reveal(index)
    } else if (event.key === 'Enter' && active >= 0 && active < rows) {
      event.preventDefault()
      open(active)
    }
  }
  const shown = []
  for (let i = span.from; i < span.to; i++) {
    const { key, cells } = row(i)
    shown.push(
      <div
        key={key} id={id + i} role="row" aria-rowindex={i + 2} aria-selected={i === active}
        class={i === active ? 'list-row active' : 'list-row'}
        style={{ height: height + 'px', transform: `translateY(${span.top + (i - span.from) * height}px)` }}
        onPointerDown={() => activate(i)}
      >
        {cells}
      </div>,
    )
  }
  return (
    <div
      class="list" role="grid" aria-label={label} aria-rowcount={rows + 1} aria-colcount={columns} tabIndex={0} ref={grid}
      aria-activedescendant={active >= span.from && active < span.to ? id + active : undefined} onKeyDown={keys}
      onScroll={(e) => (scroll.value = memory.top = e.currentTarget.scrollTop)}
    >
      <div class="list-head" role="row" aria-rowindex={1}>{head}</div>
      <div class="list-content" role="rowgroup" style={{ height: span.content + 'px' }}>{shown}</div>
    </div>
  )
}
