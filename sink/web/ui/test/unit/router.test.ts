import { afterEach, expect, test } from 'vitest'
import { keyPath, navigate, parse, query, rangeOf, route, setQuery, start } from '../../src/router.ts'
import { hostile } from '../mock/data.ts'

start()
afterEach(() => navigate('/'))

test.each([...hostile, '.', '..', '~', '~.', 'a b+c', 'ü', '/'])('the address of key %j leads to it', (key) => {
  const url = new URL(keyPath(key), 'http://host/')
  expect(url.pathname.startsWith('/key/')).toBe(true)
  expect(url.search + url.hash).toBe('')
  expect(parse(url.pathname)).toEqual({ name: 'key', key })
})

test('addresses that are none', () => {
  expect(parse('/key/')).toEqual({ name: 'unknown', path: '/key/' })
  expect(parse('/key/%zz')).toEqual({ name: 'unknown', path: '/key/%zz' })
  expect(parse('/login')).toEqual({ name: 'unknown', path: '/login' })
})

test('filters live in the query string, and going somewhere leaves them', () => {
  setQuery({ q: 'a&b=c', kind: 'dlm' })
  expect(query.value.get('q')).toBe('a&b=c')
  setQuery({ q: '' })
  expect(location.search).toBe('?kind=dlm')
  navigate('/operations')
  expect(route.value).toEqual({ name: 'operations' })
  expect(query.value.get('kind')).toBeNull()
})

test('a part of an axis is read as it is written; anything else is all of it', () => {
  for (const range of [[0, 1], [-1.5e-7, 3], [-20, -10.25]] as const) expect(rangeOf(range.join('..'))).toEqual(range)
  for (const text of ['', '..', '1..', '..2', '1', '2..1', '1..1', '1..2..3', 'a..b', '1..Infinity', 'NaN..2']) expect(rangeOf(text)).toBeNull()
})

test('the back button is followed', () => {
  navigate(keyPath('a'))
  history.replaceState(null, '', '/forest')
  dispatchEvent(new PopStateEvent('popstate'))
  expect(route.value).toEqual({ name: 'forest' })
})

test('plain clicks stay in the page; others and the server’s addresses are the browser’s', () => {
  const click = (html: string, init: MouseEventInit = {}) => {
    document.body.innerHTML = html
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...init })
    document.querySelector('a')?.dispatchEvent(event)
    return event.defaultPrevented
  }
  expect(click(`<a href="${keyPath('x')}">x</a>`)).toBe(true)
  expect(route.value).toEqual({ name: 'key', key: 'x' })
  expect(click('<a href="/operations">x</a>', { ctrlKey: true })).toBe(false)
  expect(click('<a href="/login">x</a>')).toBe(false)
  expect(click('<a href="https://elsewhere.example/">x</a>')).toBe(false)
})
