// Files of what a view shows, made in the browser: nothing is sent anywhere.

/** Cell is a value of a table: null is not defined and stays empty. */
export type Cell = string | number | null

/** csvOf writes a table as RFC 4180 has it; numbers with all their digits. */
export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const text = (c: Cell) => (c === null ? '' : /[",\r\n]/.test(String(c)) ? '"' + String(c).replace(/"/g, '""') + '"' : String(c))
  return [head, ...rows].map((r) => r.map(text).join(',')).join('\r\n') + '\r\n'
}

/** save gives the browser a file to keep. */
export function save(content: Blob | string, name: string, type = 'text/plain') {
  const address = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** fileName is a name without what file systems refuse. */
export function fileName(...parts: string[]): string {
  return parts.join('-').replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 100)
}

/** What of an element's style a picture needs: the page's sheets are not in the file. */
const styles = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'font-size', 'font-weight', 'font-family'] as const

/** svgOf is a chart as a file of its own, in the colours that it has now. */
export function svgOf(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement
  const from = [...chart.querySelectorAll<SVGElement>('*')]
  const to = [...copy.querySelectorAll<SVGElement>('*')]
  from.forEach((element, i) => {
    const style = getComputedStyle(element)
    for (const name of styles) to[i]!.setAttribute(name, style.getPropertyValue(name))
    to[i]!.removeAttribute('class')
    to[i]!.removeAttribute('style')
  })
  const { width, height } = chart.getBoundingClientRect()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  copy.removeAttribute('tabindex')
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  for (const [name, value] of [['width', '100%'], ['height', '100%'], ['fill', groundOf(chart)]] as const) ground.setAttribute(name, value)
  copy.prepend(ground)
  return new XMLSerializer().serializeToString(copy)
}

/** groundOf is the colour that the chart stands on. */
function groundOf(chart: Element): string {
  for (let e: Element | null = chart; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor
    if (colour && colour !== 'transparent' && !/, 0\)$/.test(colour)) return colour
  }
  return '#ffffff'
}

/**
 * pngOf paints a chart, at twice its size. The page's security policy lets no
 * picture be loaded from data, so the shapes are painted one by one.
 */
export function pngOf(chart: SVGSVGElement): Promise<Blob | null> {
  const { width, height } = chart.getBoundingClientRect()
  const canvas = document.createElement('canvas')
  const scale = 2
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const ctx = canvas.getContext('2d')!
  ctx.scale(scale, scale)
  ctx.fillStyle = groundOf(chart)
  ctx.fillRect(0, 0, width, height)
  const box = chart.viewBox.baseVal
  if (box?.width) ctx.scale(width / box.width, height / box.height)
  for (const element of chart.querySelectorAll<SVGGraphicsElement>('line, rect, circle, path, text')) paint(ctx, element)
  return new Promise((done) => canvas.toBlob(done, 'image/png'))
}

function paint(ctx: CanvasRenderingContext2D, e: SVGGraphicsElement) {
  const style = getComputedStyle(e)
  const [fill, stroke] = [style.fill, style.stroke]
  ctx.save()
  const m = e.transform.baseVal.consolidate()?.matrix
  if (m) ctx.transform(m.a, m.b, m.c, m.d, m.e, m.f)
  if (e instanceof SVGTextElement) {
    ctx.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    ctx.textAlign = style.textAnchor === 'middle' ? 'center' : style.textAnchor === 'end' ? 'right' : 'left'
    ctx.fillStyle = fill
    ctx.fillText(e.textContent ?? '', number(e, 'x'), number(e, 'y'))
  } else {
    const shape = shapeOf(e)
    if (fill !== 'none' && !(e instanceof SVGLineElement)) {
      ctx.globalAlpha = Number(style.fillOpacity)
      ctx.fillStyle = fill
      ctx.fill(shape)
    }
    if (stroke !== 'none') {
      ctx.globalAlpha = Number(style.strokeOpacity)
      ctx.strokeStyle = stroke
      ctx.lineWidth = parseFloat(style.strokeWidth)
      ctx.lineCap = style.strokeLinecap as CanvasLineCap
      ctx.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat))
      ctx.stroke(shape)
    }
  }
  ctx.restore()
}

const number = (e: Element, name: string) => Number(e.getAttribute(name) ?? 0)

function shapeOf(e: Element): Path2D {
  if (e.tagName === 'path') return new Path2D(e.getAttribute('d') ?? '')
  const path = new Path2D()
  if (e.tagName === 'line') {
    path.moveTo(number(e, 'x1'), number(e, 'y1'))
    path.lineTo(number(e, 'x2'), number(e, 'y2'))
  } else if (e.tagName === 'circle') path.arc(number(e, 'cx'), number(e, 'cy'), number(e, 'r'), 0, 2 * Math.PI)
  else path.rect(number(e, 'x'), number(e, 'y'), number(e, 'width'), number(e, 'height'))
  return path
}

/** arrowOf asks the API for the Arrow stream at an address; a text says what was wrong. */
export async function arrowOf(path: string): Promise<Blob | string> {
  try {
    const answer = await fetch(path, { headers: { Accept: 'application/vnd.apache.arrow.stream' }, credentials: 'same-origin', cache: 'no-store' })
    return answer.ok ? await answer.blob() : `the answer was ${answer.status}`
  } catch {
    return 'no answer from the consumer'
  }
}
