import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Row } from '../api/types.ts'
import { estimate, exact } from '../format.ts'
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

const rowHeight = 28
const around = 8

/**
 * forestRange covers the 95 % intervals of all lines, and 0 where it is near;
 * null without any. With fence it leaves out what lies far outside of the middle
 * half of the lines, so that a few wide ones do not make dots of all others.
 */
export function forestRange(rows: readonly Row[], fence = false): [number, number] | null {
  const ends = (q: 'q2.5' | 'q97.5') => rows.map((r) => r[q]).filter((v): v is number => v !== null && Number.isFinite(v)).sort((a, b) => a - b)
  const [lows, highs] = [ends('q2.5'), ends('q97.5')]
  let lo = Math.min(lows[0] ?? Infinity, highs[0] ?? Infinity)
  let hi = Math.max(lows.at(-1) ?? -Infinity, highs.at(-1) ?? -Infinity)
  if (!(hi >= lo)) return null
  const [left, right] = [lows[lows.length >> 2], highs[highs.length - 1 - (highs.length >> 2)]]
  if (fence && left !== undefined && right !== undefined && right > left) {
    lo = Math.max(lo, left - (right - left))
    hi = Math.min(hi, right + (right - left))
  }
  const width = hi - lo || Math.abs(hi) || 1
  if (lo > 0 && lo < width * 0.5) lo = 0
  if (hi < 0 && -hi < width * 0.5) hi = 0
  return [lo - width * 0.03, hi + width * 0.03]
}

/** Forest shows lines one below the other: 95 % interval thin, 50 % thick, the median a dot. Long lists are drawn where they are seen. */
export function Forest({ lines, label, most = 18, fence = false }: {
  lines: readonly ForestLine[]
  label: string
  /** Lines in view before it scrolls. */
  most?: number
  /** Lets lines that are far from the others end in an arrow. */
  fence?: boolean
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState(0)
  const [width, setWidth] = useState(400)
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
  const range = useMemo(() => forestRange(lines.map((l) => l.row), fence), [lines, fence])
  if (!range) return <p class="muted">No variable has an interval to draw.</p>
  const [lo, hi] = range
  const x = (v: number) => ((v - lo) / (hi - lo)) * width
  const marks = ticks(lo, hi, Math.max(2, Math.min(10, Math.floor(width / 90))))
  const texts = tickText(marks)
  const view = Math.min(lines.length, most) * rowHeight
  const from = Math.max(0, Math.floor(scroll / rowHeight) - around)
  const to = Math.min(lines.length, Math.ceil((scroll + view) / rowHeight) + around)
  return (
    <div class="forest" role="table" aria-label={`${label}: median and 95 % interval`} aria-rowcount={lines.length + 1}>
      <div ref={scroller} role="rowgroup" class="forest-scroll" tabIndex={lines.length > most ? 0 : -1} aria-label={label}
        style={{ maxHeight: `${view + 24}px`, overflowY: lines.length > most ? 'auto' : 'hidden' }} onScroll={(e) => setScroll(e.currentTarget.scrollTop)}>
      <div class="forest-axis" role="row" aria-rowindex={1}>
        <span role="columnheader" class="visually-hidden">name</span>
        <span aria-hidden="true" />
        <div class="axis-text" ref={track} aria-hidden="true">
          {marks.map((m, i) => <span key={m} style={{ left: `${x(m)}px` }}>{texts[i]}</span>)}
        </div>
        <span class="forest-figures" role="columnheader">median [95 %]</span>
      </div>
        <div role="presentation" style={{ height: `${lines.length * rowHeight}px`, paddingTop: `${from * rowHeight}px`, boxSizing: 'border-box' }}>
          {lines.slice(from, to).map((line, i) => {
            const { row } = line
            const figures = `${estimate(row.median, row)} [${estimate(row['q2.5'], row)}, ${estimate(row['q97.5'], row)}]`
            return (
              <div class="forest-row" role="row" key={line.id} aria-rowindex={from + i + 2} title={`${line.name}: ${figures}`}>
                <span class="name" role="rowheader">{line.label}</span>
                <svg height={rowHeight} aria-hidden="true" style={{ width: `${width}px` }}>
                  {marks.map((m) => <line key={m} class={m === 0 ? 'zero' : 'grid'} x1={x(m)} x2={x(m)} y1={0} y2={rowHeight} />)}
                  <Interval row={row} x={x} width={width} />
                </svg>
                <span class="forest-figures" role="cell" title={`${exact(row.median)} [${exact(row['q2.5'])}, ${exact(row['q97.5'])}]`}>
                  <b>{estimate(row.median, row)}</b> [{estimate(row['q2.5'], row)}, {estimate(row['q97.5'], row)}]
                </span>
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Interval is a line of the forest; an arrow tells that it goes on beyond the picture. */
function Interval({ row, x, width }: { row: Row; x: (v: number) => number; width: number }) {
  const y = rowHeight / 2
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
