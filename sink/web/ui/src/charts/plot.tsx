import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { absolute, shorten } from '../format.ts'
import { colour, dark } from '../theme.ts'
import './charts.css'

export interface PlotProps {
  /** What the chart shows, for screen readers. */
  label: string
  /** The chart in one or two sentences, read with the label. */
  summary: string
  data: uPlot.AlignedData
  /** Built anew when the identity of it changes: keep it in useMemo. */
  options: Omit<uPlot.Options, 'width' | 'height'>
  /** In pixels, the least of it with fill. */
  height: number
  /** Whether the chart grows with its place. */
  fill?: boolean
  /** The range of x that is shown; null is all of it. */
  zoom: [number, number] | null
  setZoom: (range: [number, number] | null) => void
  /** Index of the point under the crosshair, null without one. */
  point: (index: number | null) => void
}

/**
 * Plot is a uPlot chart that follows the size of its place and the theme. Drag
 * or + and - zoom, double click, 0 or Escape show all; the arrow keys move the crosshair.
 * New data go into the same chart.
 */
export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const now = useRef(props)
  now.current = props

  useEffect(() => {
    const element = place.current!
    const u = new uPlot(
      {
        ...props.options,
        width: Math.max(120, element.clientWidth),
        height: element.clientHeight,
        legend: { show: false },
        cursor: {
          drag: { x: true, y: false, setScale: false },
          points: { show: false },
          bind: { dblclick: () => () => (now.current.setZoom(null), null) },
          ...props.options.cursor,
        },
        hooks: {
          ...props.options.hooks,
          setCursor: [(self) => now.current.point(self.cursor.idx ?? null)],
          setSelect: [
            (self) => {
              const { left, width } = self.select
              if (width < 4) return
              now.current.setZoom([self.posToVal(left, 'x'), self.posToVal(left + width, 'x')])
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            },
          ],
        },
      },
      now.current.data,
      element,
    )
    chart.current = u
    const size = new ResizeObserver(() => {
      const width = Math.max(120, element.clientWidth)
      const height = Math.max(80, element.clientHeight)
      if (width !== u.width || height !== u.height) u.setSize({ width, height })
    })
    size.observe(element)
    // Colours are read when the chart is drawn, so a new theme only needs a new drawing.
    const themed = dark.subscribe(() => queueMicrotask(() => u.redraw(false, true)))
    return () => {
      themed()
      size.disconnect()
      u.destroy()
      chart.current = undefined
    }
  }, [props.options])

  useEffect(() => {
    const u = chart.current
    if (u && u.data !== props.data) u.setData(props.data)
  }, [props.data])

  const keys = (event: KeyboardEvent) => {
    const u = chart.current
    if (!u || event.ctrlKey || event.metaKey || event.altKey) return
    const x = u.data[0] as number[]
    const last = x.length - 1
    const at = u.cursor.idx ?? last
    const step = event.shiftKey ? Math.max(1, Math.round(last / 20)) : 1
    const to = { ArrowLeft: at - step, ArrowRight: at + step, Home: 0, End: last }[event.key]
    if (to !== undefined && last >= 0) {
      const index = Math.max(0, Math.min(last, to))
      u.setCursor({ left: u.valToPos(x[index]!, 'x'), top: u.over.clientHeight / 2 })
    } else if (event.key === '+' || event.key === '=' || event.key === '-') {
      const [lo, hi] = [u.scales['x']!.min ?? 0, u.scales['x']!.max ?? 1]
      const middle = u.cursor.idx != null ? x[u.cursor.idx]! : (lo + hi) / 2
      const factor = event.key === '-' ? 2 : 0.5
      const range: [number, number] = [middle - (middle - lo) * factor, middle + (hi - middle) * factor]
      now.current.setZoom(range[0] <= x[0]! && range[1] >= x[last]! ? null : range)
    } else if (event.key === '0' || event.key === 'Escape') {
      now.current.setZoom(null)
    } else return
    event.preventDefault()
  }

  return (
    <div
      class={props.fill ? 'plot fill' : 'plot'}
      style={props.fill ? { minHeight: `${props.height}px` } : { height: `${props.height}px` }}
      tabIndex={0}
      role="img"
      aria-label={`${props.label}. ${props.summary}`}
      aria-keyshortcuts="ArrowLeft ArrowRight + - 0"
      onKeyDown={keys}
    >
      <div ref={place} class="plot-inner" />
    </div>
  )
}

const font = '12px system-ui, sans-serif'

/** axis is how the axes of all charts look; title says what is counted or measured along it. */
export function axis(more: Partial<uPlot.Axis> = {}, title = ''): uPlot.Axis {
  return {
    stroke: () => colour('--muted'),
    grid: { stroke: () => colour('--line'), width: 1 },
    ticks: { show: false },
    size: 30,
    font,
    ...(title === '' ? {} : { label: shorten(title, 48), labelSize: 20, labelGap: 2, labelFont: font }),
    ...more,
  }
}

/** timeAxis is an x axis of times in seconds since the epoch, written as everywhere on the page: the date below the first tick and where it changes. */
export function timeAxis(title: string): uPlot.Axis {
  return axis({
    size: 44,
    values: (_, ticks, __, ___, step) => {
      let day = ''
      return ticks.map((t) => {
        const [date = '', time = ''] = absolute(t * 1000).split(' ')
        const line = date === day ? '' : '\n' + date
        day = date
        return step >= 86_400 ? date : (step >= 60 ? time.slice(0, 5) : step >= 1 ? time : time + (t % 1).toFixed(3).slice(1)) + line
      })
    },
  }, title)
}

/** numbers writes the ticks of an axis: a true minus sign, exponents only where long. */
export function numbers(_: uPlot, ticks: readonly (number | null)[]): string[] {
  return ticks.map((v) => {
    if (v === null) return ''
    const a = Math.abs(v)
    const text = a !== 0 && (a >= 1e6 || a < 1e-4) ? v.toExponential() : String(Number(v.toPrecision(10)))
    return text.replace(/-/g, '−').replace('e+', 'e')
  })
}

/** valueAxis is a y axis as wide as its longest number. */
export function valueAxis(more: Partial<uPlot.Axis> = {}, title = ''): uPlot.Axis {
  return axis({
    values: numbers,
    size: (_, values) => 18 + 7 * Math.max(2, ...(values ?? []).map((v) => String(v).length)),
    ...more,
  }, title)
}
