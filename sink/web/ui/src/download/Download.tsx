import { render, type ComponentChildren, type RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { arrowOf, csvOf, fileName, pngOf, save, svgOf, type Cell } from './files.ts'
import './download.css'

export interface Table {
  head: readonly string[]
  rows: readonly (readonly Cell[])[]
}

/** Download keeps what a view shows: the numbers as CSV or as the API's Arrow, each chart as PNG or SVG. */
export function Download({ name, table, chart, figure, arrow }: {
  /** Of the file, without its end. */
  name: string
  /** A text says why there is none. */
  table: () => Table | Promise<Table | string>
  /** What holds the chart; none where there is no chart. */
  chart?: RefObject<HTMLElement | null>
  /** The chart as a picture to keep, where the page does not draw it as SVG. */
  figure?: () => ComponentChildren
  /** Address of the same numbers in the API. */
  arrow?: string
}) {
  const [wrong, setWrong] = useState('')
  const file = (end: string) => fileName(name) + '.' + end
  const drawn = (use: (svg: SVGSVGElement, nth: string) => void | Promise<void>) => async () => {
    const each = async (place: Element | null | undefined) => {
      const all = [...(place?.querySelectorAll<SVGSVGElement>('svg.svg-chart[role=img]') ?? [])]
      for (const [i, svg] of all.entries()) await use(svg, all.length > 1 ? `-${i + 1}` : '')
    }
    if (figure) await aside(figure(), each)
    else await each(chart?.current)
  }
  const png = drawn(async (svg, nth) => {
    const blob = await pngOf(svg)
    if (blob) save(blob, fileName(name + nth) + '.png')
  })
  const svg = drawn((drawing, nth) => save(svgOf(drawing), fileName(name + nth) + '.svg', 'image/svg+xml'))
  const csv = async () => {
    const t = await table()
    setWrong(typeof t === 'string' ? t : '')
    if (typeof t !== 'string') save(csvOf(t.head, t.rows), file('csv'), 'text/csv')
  }
  const stream = async () => {
    const answer = await arrowOf(arrow!)
    setWrong(typeof answer === 'string' ? answer : '')
    if (typeof answer !== 'string') save(answer, file('arrows'))
  }
  return (
    <div class="row download no-print" role="group" aria-label={`Download ${name}`} data-name={fileName(name)}>
      <span class="muted small">Download</span>
      <button type="button" class="quiet" onClick={() => void csv()}>CSV</button>
      {(chart || figure) && <button type="button" class="quiet" onClick={() => void png()}>PNG</button>}
      {(chart || figure) && <button type="button" class="quiet" onClick={() => void svg()}>SVG</button>}
      {arrow && <button type="button" class="quiet" onClick={() => void stream()}>Arrow</button>}
      {wrong && <span class="fault" role="status">{wrong}</span>}
    </div>
  )
}

/** aside draws a figure where nobody sees it, in the colours of the page, for as long as it is used. */
async function aside(figure: ComponentChildren, use: (place: Element) => Promise<void>) {
  const place = document.createElement('div')
  place.className = 'aside-figure'
  place.setAttribute('aria-hidden', 'true')
  document.body.append(place)
  render(figure, place)
  // A Sheet measures its place first and draws then.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  try {
    await use(place)
  } finally {
    render(null, place)
    place.remove()
  }
}
