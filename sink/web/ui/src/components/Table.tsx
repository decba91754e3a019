import type { ComponentChildren } from 'preact'

export interface Column<T> {
  id: string
  head: ComponentChildren
  /** The head in words, where it is more than a text; the id if none. */
  name?: string
  /** Right-aligned figures. */
  number?: boolean
  /** Left out on narrow screens. */
  wide?: boolean
  cell: (row: T) => ComponentChildren
}

/** Table is a plain table for at most some hundred rows; on narrow screens each row is a block of named figures. */
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
    <div class="table blocks" tabIndex={0} role="region" aria-label={caption}>
      <table role="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">{columns.map((c) => <th role="columnheader" key={c.id} scope="col" class={kind(c)}>{c.head}</th>)}</tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row" key={id(row)}>{columns.map((c) => <td role="cell" key={c.id} class={kind(c)}><span class="cell-name muted" aria-hidden="true">{typeof c.head === 'string' ? c.head : (c.name ?? c.id)}</span><span class="cell-value">{c.cell(row)}</span></td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
