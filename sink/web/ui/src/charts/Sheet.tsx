import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { tickText, ticks } from './ticks.ts'
import './charts.css'

/** Scale is one axis of a Sheet: what is shown from lo to hi, and what it is. */
export interface Scale {
  lo: number
  hi: number
  title: string
  /** Marks with their texts; round numbers without it. */
  marks?: readonly (readonly [number, string])[]
}

/** Area places values within a Sheet, in pixels. */
export interface Area {
  x: (value: number) => number
  y: (value: number) => number
  left: number
  right: number
  top: number
  bottom: number
}

const letter = 7

function marksOf(scale: Scale, count: number): readonly (readonly [number, string])[] {
  if (scale.marks) return scale.marks
  const at = ticks(scale.lo, scale.hi, count)
  const texts = tickText(at)
  return at.map((v, i) => [v, texts[i]!] as const)
}

/**
 * Sheet is a chart drawn as SVG in the pixels of its place, with titles at both
 * axes. Where it has points, the pointer and the arrow keys choose one of them.
 */
export function Sheet({ label, summary, height, x, y, points, at, setAt, children }: {
  label: string
  /** The chart in one or two sentences, read with the label. */
  summary: string
  height: number
  x: Scale
  y: Scale
  /** Values of x that can be chosen, ascending. */
  points?: readonly number[]
  /** Index of the one that is. */
  at?: number | null
  setAt?: (index: number | null) => void
  children: (area: Area) => ComponentChildren
}) {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const box = place.current!
    const measure = () => setWidth(box.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  const vertical = marksOf(y, Math.max(2, Math.round(height / 60)))
  const left = 26 + letter * Math.max(1, ...vertical.map(([, text]) => text.length))
  const right = Math.max(left + 40, width - 10)
  const [top, bottom] = [10, height - 40]
  const area: Area = {
    left, right, top, bottom,
    x: (v) => left + ((v - x.lo) / (x.hi - x.lo || 1)) * (right - left),
    y: (v) => bottom - ((v - y.lo) / (y.hi - y.lo || 1)) * (bottom - top),
  }
  const horizontal = marksOf(x, Math.max(2, Math.round((right - left) / 90)))
  const choose = (event: PointerEvent) => {
    if (!points?.length || !setAt) return
    const box = place.current!.getBoundingClientRect()
    const value = x.lo + ((event.clientX - box.left - left) / (right - left)) * (x.hi - x.lo)
    setAt(nearest(points, value))
  }
  const keys = (event: KeyboardEvent) => {
    if (!points?.length || !setAt) return
    const last = points.length - 1
    const from = at ?? last
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    setAt(Math.max(0, Math.min(last, to)))
  }
  const cursor = at != null && points?.[at] !== undefined ? area.x(points[at]!) : null
  return (
    <div ref={place} class="sheet" style={{ height: `${height}px` }}>
      {width > 0 && (
        <svg class="svg-chart" width={width} height={height} role="img" aria-label={`${label}. ${summary}`} tabIndex={setAt ? 0 : undefined}
          aria-keyshortcuts={setAt ? 'ArrowLeft ArrowRight Home End' : undefined} onPointerMove={choose} onPointerLeave={() => setAt?.(null)} onKeyDown={keys}>
          {vertical.map(([v, text]) => (
            <g key={v}>
              <line class="grid" x1={left} x2={right} y1={area.y(v)} y2={area.y(v)} />
              <text x={left - 6} y={area.y(v) + 4} text-anchor="end">{text}</text>
            </g>
          ))}
          {horizontal.map(([v, text], i) => (
            <text key={v} x={area.x(v)} y={bottom + 16} text-anchor={area.x(v) + (text.length * letter) / 2 > right + 8 ? 'end' : i === 0 && area.x(v) < left + 8 ? 'start' : 'middle'}>{text}</text>
          ))}
          <text class="axis-title" x={(left + right) / 2} y={height - 6} text-anchor="middle">{x.title}</text>
          <text class="axis-title" x={13} y={(top + bottom) / 2} text-anchor="middle" transform={`rotate(-90 13 ${(top + bottom) / 2})`}>{y.title}</text>
          {children(area)}
          {cursor !== null && <line class="cursor" x1={cursor} x2={cursor} y1={top} y2={bottom} />}
        </svg>
      )}
    </div>
  )
}

/** nearest is the index of the ascending value that is nearest. */
export function nearest(values: readonly number[], value: number): number {
  let [lo, hi] = [0, values.length - 1]
  while (lo < hi) {
    const middle = (lo + hi) >> 1
    if (values[middle]! < value) lo = middle + 1
    else hi = middle
  }
  return lo > 0 && value - values[lo - 1]! < values[lo]! - value ? lo - 1 : lo
}

/** band is the outline of what lies between two lines; gaps part it. */
export function band(x: readonly number[], low: readonly (number | null)[], high: readonly (number | null)[], area: Area): string {
  let out = ''
  for (let from = 0; from < x.length; from++) {
    if (low[from] == null || high[from] == null) continue
    let to = from
    while (to + 1 < x.length && low[to + 1] != null && high[to + 1] != null) to++
    const range = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    out += 'M' + range.map((i) => spot(area, x[i]!, high[i]!)).join('L') + 'L' + range.reverse().map((i) => spot(area, x[i]!, low[i]!)).join('L') + 'Z'
    from = to
  }
  return out
}

/** line joins values; gaps part it. */
export function line(x: readonly number[], y: readonly (number | null)[], area: Area): string {
  return x.map((v, i) => (y[i] == null ? '' : (i === 0 || y[i - 1] == null ? 'M' : 'L') + spot(area, v, y[i]!))).join('')
}

const spot = (area: Area, x: number, y: number) => area.x(x).toFixed(1) + ',' + area.y(y).toFixed(1)

/** range is what holds all the numbers, with some room about them. */
export function range(values: readonly (number | null)[], room = 0.06): [number, number] {
  let [lo, hi] = [Infinity, -Infinity]
  for (const v of values) {
    if (v === null || !Number.isFinite(v)) continue
    lo = Math.min(lo, v)
    hi = Math.max(hi, v)
  }
  if (!(hi >= lo)) return [0, 1]
  const pad = (hi - lo) * room || Math.abs(hi) * 0.05 || 1
  return [lo - pad, hi + pad]
}
