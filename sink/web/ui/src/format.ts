// How numbers, times and texts are written. Numbers carry the digits they
// deserve: no more than two figures of the sd, and none that the Monte Carlo
// error would change.

const thin = '\u202f' // narrow no-break space between groups of three
const minus = '\u2212'
export const missing = '–'

/** count writes an integer: 1 234 567. */
export function count(n: number | null | undefined): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return missing
  return group(String(Math.round(Math.abs(n)))).replace(/^/, n < 0 ? minus : '')
}

function group(digits: string): string {
  // Four digits stay together.
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, thin)
}

/**
 * decimals is how many places behind the point a mean deserves, negative for
 * places before it: two figures of the sd, as far as twice the Monte Carlo
 * standard error stays below one unit of the last place. mcse null: the value
 * has none. Without an sd, four figures of the value.
 */
export function decimals(value: number, sd: number | null, mcse: number | null): number {
  const scale = sd !== null && sd > 0 ? Number(sd.toPrecision(2)) : 0
  let d = scale > 0 ? 1 - exponent(scale) : value !== 0 ? 3 - exponent(Math.abs(value)) : 0
  if (mcse !== null && mcse > 0) d = Math.min(d, Math.floor(-Math.log10(2 * mcse)))
  return Math.max(-300, Math.min(300, d))
}

function exponent(x: number): number {
  return Math.floor(Math.log10(x) + 1e-12)
}

/** fixed writes a number with so many places behind the point, scientific where it would be long. */
export function fixed(value: number | null | undefined, places: number): string {
  if (value === null || value === undefined) return missing
  if (!Number.isFinite(value)) return Number.isNaN(value) ? missing : value < 0 ? minus + '∞' : '∞'
  const a = Math.abs(value)
  const e = a > 0 ? exponent(a) : 0
  if (a !== 0 && (e >= 9 || (e < -4 && places > 5))) return scientific(value, Math.max(0, Math.min(15, e + places)))
  const p = Math.max(0, Math.min(20, places))
  const rounded = places < 0 ? Math.round(a / 10 ** -places) * 10 ** -places : a
  const [whole = '0', part] = rounded.toFixed(p).split('.')
  const text = group(whole) + (part ? '.' + part : '')
  return (value < 0 && /[1-9]/.test(text) ? minus : '') + text
}

function scientific(value: number, places: number): string {
  const [m = '', e = '0'] = Math.abs(value).toExponential(places).split('e')
  const n = Number(e)
  return (value < 0 ? minus : '') + m + '×10' + (n < 0 ? '⁻' : '') + String(Math.abs(n)).replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(d)] ?? d)
}

/** What of a Row a number of it is written by. */
export interface Spread {
  mean: number | null
  sd: number | null
  mcse_mean: number | null
}

/** estimate writes any number of a row (its mean, a quantile) with the places that the row supports. */
export function estimate(value: number | null, row: Spread): string {
  if (value === null) return missing
  return fixed(value, decimals(row.mean ?? value, row.sd, row.mcse_mean))
}

/** meanSd writes "1.23 ± 0.45". */
export function meanSd(row: Spread): string {
  if (row.mean === null) return missing
  if (row.sd === null) return estimate(row.mean, row)
  const d = decimals(row.mean, row.sd, row.mcse_mean)
  const mean = fixed(row.mean, d)
  // The sd keeps two figures even when the mean's error allows fewer places, in the form of the mean.
  const places = row.sd > 0 ? 1 - exponent(Number(row.sd.toPrecision(2))) : 0
  const alike = !mean.includes('×') && row.sd < 1 && places <= 8
  return mean + ' ± ' + (alike ? row.sd.toFixed(places) : significant(row.sd, 2))
}

/** significant writes a number with so many figures. */
export function significant(value: number | null | undefined, figures: number): string {
  if (value === null || value === undefined || !Number.isFinite(value) || value === 0) return fixed(value, 0)
  const rounded = Number(Math.abs(value).toPrecision(figures))
  return fixed(value, figures - 1 - exponent(rounded))
}

/** percent writes a share: 94.7 %. */
export function percent(share: number | null | undefined, places = 1): string {
  return share === null || share === undefined || !Number.isFinite(share) ? missing : fixed(share * 100, places) + thin + '%'
}

/** exact is the shortest text that reads back as the same number, as the API sends it. */
export function exact(value: number | null | undefined): string {
  return value === null || value === undefined ? 'not defined' : String(value)
}

const spans: [number, string][] = [[86_400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']]

/** span writes a length of time given in seconds: 3.2 s, 5 min, 2 h 10 min. */
export function span(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return missing
  const s = Math.abs(seconds)
  if (s < 10) return fixed(s, 1) + thin + 's'
  for (const [i, [size, name]] of spans.entries()) {
    if (s < size) continue
    const whole = Math.floor(s / size)
    const next = spans[i + 1]
    const rest = next && i < 2 && whole < 10 ? Math.floor((s - whole * size) / next[0]) : 0
    return count(whole) + thin + name + (rest > 0 && next ? ' ' + rest + thin + next[1] : '')
  }
  return missing
}

/** ago writes how long ago a time was; times up to 5 s ahead count as now, clocks differ. */
export function ago(time: string | number, now: number = Date.now()): string {
  const then = typeof time === 'number' ? time : Date.parse(time)
  if (!Number.isFinite(then)) return missing
  const seconds = (now - then) / 1000
  if (seconds < -5) return 'in ' + span(-seconds)
  if (seconds < 1) return 'now'
  return seconds < 10 ? Math.floor(seconds) + thin + 's ago' : span(seconds) + ' ago'
}

const clock = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short',
})

/** absolute is the one form of a time on the page, in the reader's zone and with its name: 2026-01-31 08:30:00 GMT+1. */
export function absolute(time: string | number): string {
  const d = new Date(time)
  if (Number.isNaN(d.getTime())) return String(time)
  const is = Object.fromEntries(clock.formatToParts(d).map((p) => [p.type, p.value]))
  return `${is['year']}-${is['month']}-${is['day']} ${is['hour']}:${is['minute']}:${is['second']} ${is['timeZoneName']}`
}

/** zone is the name of the reader's zone at a time: GMT+1. */
export function zone(time: string | number): string {
  const d = new Date(time)
  return Number.isNaN(d.getTime()) ? '' : (clock.formatToParts(d).find((p) => p.type === 'timeZoneName')?.value ?? '')
}

/** localTime writes a time in the reader's zone as a field for dates and times has it, to the second. */
export function localTime(time: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

/** bytes writes a size: 3.4 MiB. */
export function bytes(n: number | null | undefined): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return missing
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let i = 0
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024
    i++
  }
  return (i === 0 ? count(n) : fixed(n, n < 10 ? 1 : 0)) + thin + units[i]
}

/**
 * shorten keeps the start and the end of a text that is longer than length
 * characters. Line breaks and other control characters, which would move what
 * follows them, become visible symbols.
 */
export function shorten(text: string, length = 60): string {
  const shown = visible(text)
  const points = [...shown]
  if (points.length <= length) return shown
  const head = Math.ceil((length - 1) * 0.6)
  return points.slice(0, head).join('') + '…' + points.slice(points.length - (length - 1 - head)).join('')
}

/** visible shows control characters and those that turn the direction of text as symbols. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (c) => {
    const code = c.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    if (code === 0x7f) return '␡'
    return '⟨' + code.toString(16).toUpperCase().padStart(4, '0') + '⟩'
  })
}
