// @vitest-environment node
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { api, hooks } from '../../src/api/client.ts'
import { hostile } from '../mock/data.ts'
import { Mock } from '../mock/server.ts'
import { browse } from './page.ts'

let mock: Mock
beforeAll(async () => {
  mock = await Mock.listen({ keys: 50 })
  browse(mock)
})
afterEach(() => Object.assign(mock.faults, { status: 0, ready: true }))
afterAll(() => mock.close())

test.each(hostile)('key %j reaches the server as it is', async (key) => {
  const answer = await api.model(key)
  expect(answer.ok && answer.value.key).toBe(key)
  const history = await api.history(key, { limit: 3 })
  expect(history.ok && history.value.points.length).toBeLessThanOrEqual(3)
  const listed = await api.models({ key: [key] })
  expect(listed.ok && listed.value.models.map((m) => m.key)).toEqual([key])
})

test.each(['.', '..'])('key %j, which browsers take out of paths, reaches the server in the query', async (key) => {
  mock.update(key)
  for (const answer of [await api.model(key), await api.about(key), await api.history(key, { limit: 3 }), await api.calibration(key)])
    expect(answer.ok && answer.value.key).toBe(key)
  expect((await api.predict(key, { rows: [{ x: 1 }] })).ok).toBe(true)
})

test.each([401, 404, 429, 500, 503])('status %i is a value with what to do', async (status) => {
  const unauthorized = vi.fn()
  hooks.onUnauthorized = unauthorized
  mock.faults.status = status
  const answer = await api.operations()
  if (answer.ok) throw new Error('it was no failure')
  expect(answer.failure.status).toBe(status)
  expect(answer.failure.message).not.toBe('')
  expect(answer.failure.todo.length).toBeGreaterThan(20)
  expect(answer.failure.retryAfter).toBe(status === 429 || status === 503 ? 1000 : undefined)
  expect(unauthorized).toHaveBeenCalledTimes(status === 401 ? 1 : 0)
})

test('not ready is an answer with reasons', async () => {
  mock.faults.ready = false
  const answer = await api.ready()
  expect(answer.ok && answer.value.reasons).toHaveLength(2)
})

test('no answer is a value too', async () => {
  const fetched = globalThis.fetch
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('refused')))
  expect(await api.operations()).toMatchObject({ ok: false, failure: { status: 0, code: 'unreachable' } })
  vi.stubGlobal('fetch', fetched)
})

test('what did not change is not sent again', async () => {
  const key = [...mock.models.keys()][20] as string
  const first = await api.model(key)
  const fetched = globalThis.fetch
  const statuses: number[] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const r = await fetched(path, init)
    statuses.push(r.status)
    return r
  })
  expect(await api.model(key)).toEqual(first)
  mock.update(key)
  const third = await api.model(key)
  vi.stubGlobal('fetch', fetched)
  expect(statuses).toEqual([304, 200])
  expect(third.ok && first.ok && third.value.t).toBe(first.ok && first.value.t + 1)
})
