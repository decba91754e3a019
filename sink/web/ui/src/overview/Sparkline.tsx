import { useLayoutEffect, useRef } from 'preact/hooks'
import { colour, dark } from '../theme.ts'
import type { Spark } from './details.ts'

interface Colours {
  wide: string
  narrow: string
  line: string
}

let colours: { dark: boolean; is: Colours } | null = null

function palette(): Colours {
  if (colours?.dark !== dark.value)
    colours = { dark: dark.value, is: { wide: colour('--band-95'), narrow: colour('--band-50'), line: colour('--median') } }
  return colours.is
}

/** Sparkline draws the 95 % and 50 % bands and the median over the newest shards, of which there are at least two. */
export function Sparkline({ points, width, height }: { points: readonly Spark[]; width: number; height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const scheme = dark.value
  useLayoutEffect(() => {
    const c = canvas.current
    if (c) draw(c, points, width, height)
  }, [points, width, height, scheme])
  return <canvas ref={canvas} class="spark" role="img" aria-label={`Bands over the last ${points.length} shards`} />
}

function draw(c: HTMLCanvasElement, points: readonly Spark[], width: number, height: number) {
  const ratio = devicePixelRatio || 1
  const w = Math.round(width * ratio)
  const h = Math.round(height * ratio)
  if (c.width !== w || c.height !== h) {
    c.width = w
    c.height = h
    c.style.width = width + 'px'
    c.style.height = height + 'px'
  }
  const g = c.getContext('2d')
  if (!g) return
  g.setTransform(ratio, 0, 0, ratio, 0, 0)
  g.clearRect(0, 0, width, height)
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) return
  let low = Infinity
  let high = -Infinity
  for (const p of points) {
    low = Math.min(low, p.low)
    high = Math.max(high, p.high)
  }
  const pad = 2
  const x = (t: number) => pad + ((t - first.t) / (last.t - first.t)) * (width - 2 * pad)
  const y = (v: number) => (high === low ? height / 2 : pad + (1 - (v - low) / (high - low)) * (height - 2 * pad))
  const is = palette()
  const band = (from: (p: Spark) => number, to: (p: Spark) => number, fill: string) => {
    g.beginPath()
    for (const p of points) g.lineTo(x(p.t), y(to(p)))
    for (let i = points.length - 1; i >= 0; i--) {
      const p = points[i] as Spark
      g.lineTo(x(p.t), y(from(p)))
    }
    g.closePath()
    g.fillStyle = fill
    g.fill()
  }
  band((p) => p.low, (p) => p.high, is.wide)
  band((p) => p.q25, (p) => p.q75, is.narrow)
  g.beginPath()
  for (const p of points) g.lineTo(x(p.t), y(p.median))
  g.strokeStyle = is.line
  g.lineWidth = 1.25
  g.lineJoin = 'round'
  g.stroke()
}
