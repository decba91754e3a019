import { computed, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

// The place in the page is the URL: paths name the page, the query string holds
// filters, so every view can be linked to and the back button works.

export type Route =
  | { name: 'overview' }
  | { name: 'key'; key: string }
  | { name: 'forest' }
  | { name: 'compare' }
  | { name: 'calibration' }
  | { name: 'operations' }
  | { name: 'unknown'; path: string }

export function parse(path: string): Route {
  if (path === '/' || path === '') return { name: 'overview' }
  if (path === '/forest' || path === '/compare' || path === '/calibration' || path === '/operations') return { name: path.slice(1) as 'forest' }
  if (path.startsWith('/key/') && path.length > 5) {
    try {
      return { name: 'key', key: unguard(decodeURIComponent(path.slice(5))) }
    } catch {
      return { name: 'unknown', path }
    }
  }
  return { name: 'unknown', path }
}

// Browsers resolve "." and ".." in a path even when percent-encoded, so a key
// that is only dots goes with a tilde in front, and one that starts with a
// tilde gets another.
const guard = (key: string) => (/^(\.{1,2}$|~)/.test(key) ? '~' + key : key)
const unguard = (key: string) => (key.startsWith('~') ? key.slice(1) : key)

/** keyPath is the path of a key's page. */
export function keyPath(key: string): string {
  return '/key/' + encodeURIComponent(guard(key))
}

const place = signal({ path: location.pathname, search: location.search })

export const route = computed(() => parse(place.value.path))
/** query is the parsed query string; change it with setQuery. */
export const query = computed(() => new URLSearchParams(place.value.search))

function take() {
  if (place.value.path !== location.pathname || place.value.search !== location.search)
    place.value = { path: location.pathname, search: location.search }
}

/** navigate goes to a path of this page, which may have a query string, and scrolls to its top. */
export function navigate(to: string, options: { replace?: boolean } = {}) {
  if (options.replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  take()
  scrollTo(0, 0)
}

/**
 * setQuery changes parameters of the query string: '' or null removes one. It
 * replaces the entry in the history unless push says otherwise: typing into a
 * filter is one step back, not one per letter.
 */
export function setQuery(change: Record<string, string | null>, options: { push?: boolean } = {}) {
  const next = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(change)) {
    if (value) next.set(name, value)
    else next.delete(name)
  }
  const text = next.toString()
  const to = location.pathname + (text && '?' + text)
  if (options.push) history.pushState(null, '', to)
  else history.replaceState(null, '', to)
  take()
}

/**
 * useChoice is a choice that the address keeps, so that a link restores the view:
 * one of few words, the first where the query string has none of them.
 */
export function useChoice<T extends string>(name: string, words: readonly [T, ...T[]]): [T, (word: T) => void] {
  const asked = query.value.get(name)
  const chosen = words.find((w) => w === asked) ?? words[0]
  return [chosen, (word) => setQuery({ [name]: word === words[0] ? null : word })]
}

/** useText is a text that the address keeps, '' where it has none. */
export function useText(name: string, longest = 512): [string, (text: string) => void] {
  return [(query.value.get(name) ?? '').slice(0, longest), (text) => setQuery({ [name]: text })]
}

/** Range is a part of an axis, from its lower to its upper end. */
export type Range = [number, number]

/** rangeOf reads lower..upper, null where a text is anything else. */
export function rangeOf(text: string): Range | null {
  const ends = text.split('..')
  const [lo, hi] = ends.map(Number)
  return ends.length === 2 && ends.every((e) => e.trim() !== '') && Number.isFinite(lo) && Number.isFinite(hi) && lo! < hi! ? [lo!, hi!] : null
}

/** useRange is the part of an axis that is looked at, as the address keeps it; null: all of it. */
export function useRange(name: string): [Range | null, (to: Range | null) => void] {
  const text = query.value.get(name) ?? ''
  // The same object while the text is: charts are drawn anew for another.
  const range = useMemo(() => rangeOf(text), [text])
  return [range, (to) => setQuery({ [name]: to && to.join('..') })]
}

/** start follows the back button and plain clicks on links inside the page. */
export function start() {
  addEventListener('popstate', take)
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest?.('a')
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
    if (parse(link.pathname).name === 'unknown') return // the server's: /login, /v1/...
    event.preventDefault()
    navigate(link.pathname + link.search + link.hash)
  })
}
