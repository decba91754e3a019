import { signal } from '@preact/signals'
import { render, type ComponentChild } from 'preact'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { About } from '../../src/api/types.ts'
import type { KeyModel } from '../../src/key/model.ts'
import * as data from '../mock/data.ts'

// The consumer of these tests has a kind that the page was not written for.
const level = data.kindOf('level', { formula: 'y < θ', text: 'A <b>level</b> θ.', response: 'binary', ordered: true })
let away: boolean
let asked: string[]

function answer(path: string): Response {
  asked.push(path)
  if (path === '/v1/kinds' && away) return Response.json({ error: { code: 'unavailable', message: 'away' } }, { status: 503 })
  if (path === '/v1/kinds') return Response.json({ kinds: [...data.kinds, level] })
  if (path.endsWith('/predict')) return Response.json({ key: 'k', t: 3, n: 9, predictions: [{ row: 1, mean: 1, sd: 1, 'q2.5': 0, 'q97.5': 2, epred_sd: 1, 'epred_q2.5': 0, 'epred_q97.5': 2 }] })
  const some = data.calibration(null, 400)
  return Response.json({ keys: 1, all: some, kinds: { linear: some, level: some } })
}

/** model is of a key as its page has it. */
function model(kind: string): KeyModel {
  const about = {
    kind, variant: 'one', match: '**', config: '0123456789abcdef', source: { topic: 's', partition: 0, offset: 1 }, time: '2026-01-01T00:00:00.000Z', t: 3, n: 9,
    settings: {}, forget: 1, forget_per: 'shard', inputs: [{ name: 'x', role: 'feature', type: 'number' }], state_bytes: 9, commands: {},
  } as unknown as About
  return { key: 'k', about: signal(about), aboutFailure: signal(null), posterior: signal(null) } as unknown as KeyModel
}

const place = document.body
const settle = (milliseconds = 500) => vi.advanceTimersByTimeAsync(milliseconds)
const show = async (what: ComponentChild) => {
  render(what, place)
  await settle()
}
const choice = () => (place.querySelector<HTMLSelectElement>('select[aria-label="Kind of model"]') ?? place.querySelector('select'))!
const options = () => [...choice().options].map((o) => o.value)

/** page is the modules of a page that was just opened. */
const page = async () => ({
  ...(await import('../../src/overview/Filters.tsx')), ...(await import('../../src/key/How.tsx')), ...(await import('../../src/key/Predict.tsx')),
  ...(await import('../../src/key/CalibrationPage.tsx')), ...(await import('../../src/kinds.ts')), ...(await import('../../src/router.ts')),
})

beforeEach(() => {
  vi.resetModules()
  vi.useFakeTimers()
  ;[away, asked] = [false, []]
  history.replaceState(null, '', '/')
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(answer(path)))
})
afterEach(() => {
  render(null, place)
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('a kind that the page has never heard of is in the filter and in How', async () => {
  const { Filters, filterOf, How } = await page()
  const filter = filterOf(new URLSearchParams('kind=level'), [level])
  expect(filter.kind).toBe('level')
  await show(<><Filters filter={filter} leave={() => {}} /><How model={model('level')} /></>)
  expect(options()).toEqual(['', ...data.kinds.map((k) => k.name), 'level'])
  expect(choice().value).toBe('level')
  expect(place.querySelector('h3')!.textContent).toBe('level, one')
  expect(place.querySelector('.formula')!.textContent).toBe(level.formula)
  expect(place.textContent).toContain(level.text)
  expect(asked).toEqual(['/v1/kinds'])
  await show(<How model={model('level')} />)
  expect(asked).toHaveLength(1)
})

test('one that its consumer does not name shows as well', async () => {
  const { How, Predict } = await page()
  await show(<><How model={model('newer')} /><Predict model={model('newer')} /></>)
  expect(place.textContent).toContain('newer, one')
  expect(place.querySelector('.formula')).toBeNull()
  expect(place.querySelector('legend')!.textContent).toBe('row 0')
})

test('what is ordered is asked for steps, what is binary has a probability', async () => {
  const { Predict } = await page()
  await show(<Predict model={model('level')} />)
  expect(place.textContent).toContain('steps ahead')
  place.querySelector<HTMLButtonElement>('button[type=submit]')!.click()
  await settle()
  const heads = [...place.querySelectorAll('th')].map((h) => h.textContent)
  expect(heads).toEqual(expect.arrayContaining(['step', 'probability of 1', 'its probability']))
  await show(<Predict key="other" model={model('linear')} />)
  expect(place.textContent).not.toContain('steps ahead')
})

test('calibration by kind', async () => {
  history.replaceState(null, '', '/calibration?kind=level')
  const { CalibrationPage, setQuery } = await page()
  await show(<CalibrationPage />)
  expect(options()).toContain('level')
  expect(place.querySelector('h2')!.textContent).toBe('level')
  setQuery({ kind: 'constructor' })
  await settle()
  expect(place.querySelector('h2')!.textContent).toBe('All kinds')
})

test('calibration of a kind without a scored row, while kinds are not known', async () => {
  away = true
  history.replaceState(null, '', '/calibration?kind=constructor')
  const { CalibrationPage } = await page()
  await show(<CalibrationPage />)
  expect(options()).toEqual(['', 'constructor'])
  expect(place.textContent).toContain('No row was scored yet')
})

test('the page shows while kinds are not known, and asks again', async () => {
  away = true
  history.replaceState(null, '', '/?kind=level')
  const { Filters, filterOf, How, Predict } = await page()
  const filter = filterOf(new URLSearchParams(location.search), undefined)
  await show(<><Filters filter={filter} leave={() => {}} /><How model={model('level')} /><Predict model={model('level')} /></>)
  expect(options()).toEqual(['', 'level'])
  expect(place.querySelector('h3')!.textContent).toBe('level, one')
  expect(place.querySelector('.formula')).toBeNull()
  expect(place.querySelector('form')).toBeNull()
  away = false
  await settle(4000)
  expect(options()).toContain('linear')
  expect(choice().value).toBe('level')
  expect(place.querySelector('.formula')!.textContent).toBe(level.formula)
  expect(place.textContent).toContain('steps ahead')
  expect(asked).toEqual(['/v1/kinds', '/v1/kinds'])
})

test('a kind that the consumer does not have counts as none', async () => {
  const { chosenKind } = await page()
  for (const kind of ['tree', 'constructor', '']) expect(chosenKind(new URLSearchParams({ kind }), [level])).toBe('')
  expect(chosenKind(new URLSearchParams(), undefined)).toBe('')
})
