// @vitest-environment node
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Point } from '../../src/api/types.ts'
import { Mock } from '../mock/server.ts'
import { browse, told, until } from './page.ts'

let mock: Mock
let opened: string[]
let Stream: typeof import('../../src/live.ts').Stream
let keyStream: typeof import('../../src/live.ts').keyStream
beforeEach(async () => {
  mock = await Mock.listen({ keys: 20, kept: 10 })
  opened = browse(mock)
  ;({ Stream, keyStream } = await import('../../src/live.ts'))
})
afterEach(() => mock.close())

const key = 'air/pm25/000001'

test('a broken stream comes back where it was: nothing missed, nothing twice', async () => {
  const got: Point[] = []
  const stream = new Stream({})
  stream.listen({ points: (p) => got.push(...p) })
  await until('open', () => stream.state.value.name === 'open')
  const t = mock.models.get(key)?.t ?? 0
  mock.update(key)
  await until('first point', () => got.length === 1)
  mock.cut()
  await until('lost', () => stream.state.value.name === 'lost')
  mock.update(key)
  mock.update(key)
  await until('open again', () => stream.state.value.name === 'open')
  await until('three points', () => got.length >= 3)
  mock.update(key)
  await until('four points', () => got.length >= 4)
  expect(got.map((p) => p.t)).toEqual([t + 1, t + 2, t + 3, t + 4])
  expect(opened[1]).toContain('since=1')
  stream.close()
})

test('when too much was missed the reset is told', async () => {
  let resets = 0
  let got = 0
  const stream = new Stream({})
  stream.listen({ points: (p) => (got += p.length), reset: () => resets++ })
  await until('open', () => stream.state.value.name === 'open')
  mock.update(key)
  await until('a point', () => got === 1)
  mock.cut()
  for (let i = 0; i < 30; i++) mock.update(key)
  await until('reset', () => resets === 1)
  stream.close()
})

test('a stream that broke before it had a place tells a reset', async () => {
  let resets = 0
  mock.faults.nowhere = true
  const stream = new Stream({})
  stream.listen({ reset: () => resets++ })
  await until('open', () => stream.state.value.name === 'open')
  expect(resets).toBe(0)
  mock.cut()
  await until('reset', () => resets === 1)
  stream.close()
})

test('attempts get rarer, and the reason is known', async () => {
  const stream = new Stream({})
  Object.assign(mock.faults, { status: 503 })
  stream.listen({})
  await until('two attempts', () => opened.length >= 2)
  await until('reason', () => stream.state.value.name === 'lost' && stream.state.value.failure?.status === 503)
  const state = stream.state.value
  if (state.name !== 'lost') throw new Error('not lost')
  Object.assign(mock.faults, { status: 0 })
  stream.retry()
  await until('open', () => stream.state.value.name === 'open')
  stream.close()
})

test('asking for other variables goes on where it was', async () => {
  const got: Point[] = []
  const stream = new Stream({ variables: 'theta' })
  stream.listen({ points: (p) => got.push(...p) })
  await until('open', () => stream.state.value.name === 'open')
  mock.update(key)
  await until('a point', () => got.length === 1)
  stream.ask({ variables: 'phi' })
  mock.update(key)
  await until('another', () => got.length === 2)
  expect(got.map((p) => p.posterior.map((r) => r.variable))).toEqual([['theta'], ['phi']])
  stream.close()
})

test('a stream whose question changes before its first point misses none', async () => {
  const got: Point[] = []
  let resets = 0
  const stream = new Stream({ variables: 'theta' })
  stream.listen({ points: (p) => got.push(...p), reset: () => resets++ })
  await until('a place', () => told.includes('position'))
  mock.update(key)
  stream.ask({ variables: 'phi' })
  await until('the point', () => got.length === 1)
  mock.cut()
  mock.update(key)
  await until('another', () => got.length === 2)
  expect(got.map((p) => p.posterior.map((r) => r.variable))).toEqual([['phi'], ['phi']])
  expect(resets).toBe(0)
  stream.close()
})

test('a stream that nobody listens to is closed', async () => {
  const stream = new Stream({})
  const silent = stream.listen({})
  await until('open', () => stream.state.value.name === 'open')
  silent()
  expect(stream.state.value.name).toBe('paused')
  stream.close()
})

test('a key’s stream has that key alone, stars in it or not', async () => {
  const starred = 'star/**/glob'
  const got: Point[] = []
  const gone: string[] = []
  const stream = keyStream(starred, { points: (p) => got.push(...p), deleted: (k) => gone.push(k) })
  await until('open', () => stream.state.value.name === 'open')
  mock.update('star/x/glob')
  mock.update(starred)
  mock.remove('star/x/glob')
  mock.remove(starred)
  await until('both', () => got.length > 0 && gone.length > 0)
  expect(got.map((p) => p.key)).toEqual([starred])
  expect(gone).toEqual([starred])
  stream.close()
})

test('a page that is left gives its stream back, and takes it up where it was', async () => {
  const got: Point[] = []
  const stream = new Stream({})
  stream.listen({ points: (p) => got.push(...p) })
  await until('open', () => stream.state.value.name === 'open')
  mock.update(key)
  await until('a point', () => got.length === 1)
  dispatchEvent(new Event('pagehide'))
  expect(stream.state.value.name).toBe('paused')
  mock.update(key)
  dispatchEvent(new Event('pageshow'))
  await until('the point that was missed', () => got.length === 2)
  expect(opened[1]).toContain('since=')
  stream.close()
})
