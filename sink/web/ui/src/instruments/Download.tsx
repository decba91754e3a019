import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { arrowOf, csvOf, fileName, pngOf, save, svgOf, type Cell } from './download.ts'

/** Download keeps what a view shows: the numbers as CSV or as the API's Arrow, each chart as PNG or SVG. */
export function Download({ name, table, chart, arrow }: {
  /** Of the file, without its end. */
  name: string
  table: () => { head: readonly string[]; rows: readonly (readonly Cell[])[] }
  /** What holds the chart; none where there is no chart. */
  chart?: RefObject<HTMLElement | null>
  /** Address of the same numbers in the API. */
  arrow?: string
}) {
  const [wrong, setWrong] = useState('')
  const file = (end: string) => fileName(name) + '.' + end
  const drawn = (use: (svg: SVGSVGElement, nth: string) => void | Promise<void>) => () => {
    const all = [...(chart?.current?.querySelectorAll<SVGSVGElement>('.sheet > svg') ?? [])]
    all.forEach((svg, i) => void use(svg, all.length > 1 ? `-${i + 1}` : ''))
  }
  const png = drawn(async (svg, nth) => {
    const blob = await pngOf(svg)
    if (blob) save(blob, fileName(name + nth) + '.png')
  })
  const stream = async () => {
    const answer = await arrowOf(arrow!)
    setWrong(typeof answer === 'string' ? answer : '')
    if (typeof answer !== 'string') save(answer, file('arrows'))
  }
  return (
    <div class="row download no-print" role="group" aria-label="Download">
      <span class="muted small">Download</span>
      <button type="button" class="quiet" onClick={() => { const t = table(); save(csvOf(t.head, t.rows), file('csv'), 'text/csv') }}>CSV</button>
      {chart && <button type="button" class="quiet" onClick={png}>PNG</button>}
      {chart && <button type="button" class="quiet" onClick={drawn((svg, nth) => save(svgOf(svg), fileName(name + nth) + '.svg', 'image/svg+xml'))}>SVG</button>}
      {arrow && <button type="button" class="quiet" onClick={() => void stream()}>Arrow</button>}
      {wrong && <span class="fault" role="status">{wrong}</span>}
    </div>
  )
}
