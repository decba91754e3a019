import type { ComponentChildren } from 'preact'

export interface Column<T> {
  id: string
  head: ComponentChildren
  /** Right-aligned figures. */
  number?: boolean
  /** Left out on narrow screens. */
  wide?: boolean
  cell: (row: T) => ComponentChildren
}

/** Table is a plain table for at most some hundred rows; it scrolls sideways inside itself. */
export function Table<T>({ columns, rows, id, caption }: {
  columns: readonly Column<T>[]
  rows: readonly T[]
  /** Identity of a row. */
  id: (row: T) => string | number
  /** Read out by screen readers. */
  caption: string
}) {
  const kind = (c: Column<T>) => (c.number ? 'number' : '') + (c.wide ? ' wide-only' : '')
  return (
    <div class="table" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>{columns.map((c) => <th key={c.id} scope="col" class={kind(c)}>{c.head}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>{columns.map((c) => <td key={c.id} class={kind(c)}>{c.cell(row)}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
