import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Row } from '../api/types.ts'
import { narrow } from '../components/narrow.ts'
import { count, exact, significant } from '../format.ts'
import { useChoice } from '../router.ts'
import { Download } from '../download/Download.tsx'
import { ForestFigure } from './figures.tsx'
import { figuresOf, forestRange, tooWide, widthOf } from './forestlines.ts'
import { tickText, ticks } from './ticks.ts'
import './charts.css'

export interface ForestLine {
  id: string
  /** Shown at the left; text from outside goes through Foreign. */
  label: ComponentChildren
  /** The label as plain text, for titles. */
  name: string
  row: Row
}

const around = 8
const quantiles = ['mean', 'sd', 'q2.5', 'q5', 'q25', 'median', 'q75', 'q95', 'q97.5'] as const

/**
 * Forest shows lines one below the other: 95 % interval thin, 50 % thick, the median a ring. Lines that know too
 * little beside the others are folded away until asked for; they never stretch the axis. Long lists are drawn where they are seen.
 */
export function Forest({ lines, label, title = '', noun = ['line', 'lines'], most = 18, fence = false, file, arrow }: {
  lines: readonly ForestLine[]
  label: string
  /** Of the axis: what is measured along it. */
  title?: string
  /** What a line is, one and several: key, keys. */
  noun?: readonly [string, string]
  /** Lines in view before it scrolls. */
  most?: number
  /** Lets lines that are far from the others end in an arrow. */
  fence?: boolean
  /** Name of what is downloaded. */
  file: string
  /** Address of the same numbers in the API. */
  arrow?: string
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState(0)
  const [width, setWidth] = useState(400)
  const [folds, setFolds] = useChoice('folds', ['closed', 'open'])
  const unfolded = folds === 'open'
  const track = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = track.current
    if (!element) return
    const measure = () => setWidth(Math.max(60, element.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const { known, vague, limit, range } = useMemo(() => {
    const limit = tooWide(lines.map((l) => l.row))
    const drawn = (l: ForestLine) => (widthOf(l.row) ?? Infinity) <= limit
    const known = lines.filter(drawn)
    return { known, vague: lines.filter((l) => !drawn(l)), limit, range: forestRange(known.map((l) => l.row), fence) }
  }, [lines, fence])
  if (!range) return <p class="muted">None of them has an interval to draw.</p>
  const shown = unfolded ? [...known, ...vague] : known
  const rowHeight = narrow.value ? 46 : 28
  const [lo, hi] = range
  const x = (v: number) => ((v - lo) / (hi - lo)) * width
  const marks = ticks(lo, hi, Math.max(2, Math.min(10, Math.floor(width / 90))))
  const texts = tickText(marks)
  const view = Math.min(shown.length, most) * rowHeight
  const from = Math.max(0, Math.floor(scroll / rowHeight) - around)
  const to = Math.min(shown.length, Math.ceil((scroll + view) / rowHeight) + around)
  const few = vague.length === 1 ? noun[0] : noun[1]
  return (
    <div class="forest-box">
      <div class="forest" role="table" aria-label={`${label}: median and 95 % interval`} aria-rowcount={shown.length + 1}>
        <div ref={scroller} role="rowgroup" class="forest-scroll" tabIndex={shown.length > most ? 0 : -1} aria-label={label}
          style={{ maxHeight: `${view + 44}px`, overflowY: shown.length > most ? 'auto' : 'hidden' }} onScroll={(e) => setScroll(e.currentTarget.scrollTop)}>
          <div class="forest-axis" role="row" aria-rowindex={1}>
            <span role="columnheader" class="visually-hidden">name</span>
            <span aria-hidden="true" class="name" />
            <div class="axis-text" ref={track} aria-hidden="true">
              <b>{title}</b>
              {marks.map((m, i) => <span key={m} style={{ left: `${x(m)}px` }}>{texts[i]}</span>)}
            </div>
            <span class="forest-figures" role="columnheader">median [95 %]</span>
          </div>
          <div role="presentation" style={{ height: `${shown.length * rowHeight}px`, paddingTop: `${from * rowHeight}px`, boxSizing: 'border-box' }}>
            {shown.slice(from, to).map((line, i) => {
              const { row } = line
              const figures = figuresOf(row, (hi - lo) / width)
              return (
                <div class="forest-row" role="row" key={line.id} aria-rowindex={from + i + 2} title={`${line.name}: ${figures.median} ${figures.interval}`} style={{ height: `${rowHeight}px` }}>
                  <span class="name" role="rowheader">{line.label}</span>
                  <svg height={28} aria-hidden="true" style={{ width: `${width}px` }}>
                    {marks.map((m) => <line key={m} class={m === 0 ? 'zero' : 'grid'} x1={x(m)} x2={x(m)} y1={0} y2={28} />)}
                    <Interval row={row} x={x} width={width} />
                  </svg>
                  <span class="forest-figures" role="cell" data-value={row.median ?? ''} title={`${exact(row.median)} [${exact(row['q2.5'])}, ${exact(row['q97.5'])}]`}>
                    <b>{figures.median}</b> {figures.interval}
                  </span>
                </div>
              )
            })}
          </div>
        </div>
      </div>
      {vague.length > 0 && (
        <p class="muted folded">
          {count(vague.length)} {few} {vague.length === 1 ? 'knows' : 'know'} too little to be compared: 95 % intervals wider than {significant(limit, 2)}.{' '}
          <button type="button" class="link no-print" aria-expanded={unfolded} onClick={() => setFolds(unfolded ? 'closed' : 'open')}>{unfolded ? 'Fold away' : `Show ${vague.length === 1 ? 'it' : 'them'}`}</button>
        </p>
      )}
      <Download name={file} {...(arrow === undefined ? {} : { arrow })} figure={() => <ForestFigure title={title || label} lines={shown} lo={lo} hi={hi} />}
        table={() => ({ head: [noun[0], 'variable', ...quantiles], rows: lines.map(({ name, row }) => [name, row.variable, ...quantiles.map((q) => row[q])]) })} />
    </div>
  )
}

/** Interval is a line of the forest; an arrow tells that it goes on beyond the picture. */
function Interval({ row, x, width }: { row: Row; x: (v: number) => number; width: number }) {
  const y = 14
  const { 'q2.5': a, 'q97.5': b, q25, q75, median } = row
  const inside = (v: number) => Math.max(0, Math.min(width, x(v)))
  const crosses = (from: number, to: number) => x(to) > 0 && x(from) < width
  return (
    <>
      {a !== null && b !== null && crosses(a, b) && <line class="outer" x1={inside(a)} x2={inside(b)} y1={y} y2={y} />}
      {q25 !== null && q75 !== null && crosses(q25, q75) && <line class="inner" x1={inside(q25)} x2={inside(q75)} y1={y} y2={y} />}
      {a !== null && x(a) < 0 && <path class="beyond" d={`M7 ${y - 4}L0 ${y}L7 ${y + 4}`} />}
      {b !== null && x(b) > width && <path class="beyond" d={`M${width - 7} ${y - 4}L${width} ${y}L${width - 7} ${y + 4}`} />}
      {median !== null && x(median) >= 0 && x(median) <= width && <circle class="median" cx={x(median)} cy={y} r={4} />}
    </>
  )
}
