import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Point, Posterior, Row } from '../api/types.ts'
import { KeyModel } from './model.ts'

// The server of these tests: what it answers, and the stream it holds.
let t = 3
let owned = true
let gone = false
let answers: string[] = []
let sources: FakeSource[] = []

class FakeSource extends EventTarget {
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null
  constructor(readonly url: string) {
    super()
    sources.push(this)
  }
  close() {}
  say(type: string, value: unknown) {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(value), lastEventId: String(t) }))
  }
}

const row = (at: number) => ({ variable: 'mu', mean: at, median: at }) as Row
const score = { rows: 1, predicted_rows: 0, log_density: null, log_evidence: null, rmse: null, coverage95: null }
const point = (at: number): Point => ({
  key: 'a/b', kind: 'linear', t: at, n: at, n_eff: at, partition: 0, offset: 10 * at, time: '2026-01-01T00:00:00.000Z', score, flags: [], variables: 1, posterior: [row(at)],
})
const stored = () => ({ key: 'a/b', kind: 'linear', t, n: t, source: { topic: 's', partition: 0, offset: 10 * t }, time: '2026-01-01T00:00:00.000Z', posterior: [row(t)] }) as unknown as Posterior

function answer(path: string): Response {
  answers.push(path)
  if (gone) return Response.json({ error: { code: 'not_found', message: 'no model' } }, { status: 404 })
  if (path.includes('/history')) return Response.json({ key: 'a/b', owned, complete: true, points: owned ? Array.from({ length: t }, (_, i) => point(i + 1)) : [] })
  if (path.endsWith('/about')) return Response.json({ t, owned, source: { partition: 0 }, inputs: [], prior: [] })
  return Response.json(stored())
}

const settle = () => vi.advanceTimersByTimeAsync(50)
const shards = (m: KeyModel) => m.history.moments.map((x) => x.t)

beforeEach(() => {
  vi.useFakeTimers()
  ;[t, owned, gone, answers, sources] = [3, true, false, [], []]
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(answer(path)))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('a key’s model', () => {
  it('asks for the past once events come, and has every shard once', async () => {
    const m = new KeyModel('a/b')
    await settle()
    expect(answers.some((a) => a.includes('/history'))).toBe(false)
    sources[0]!.say('updates', [point(3)])
    sources[0]!.onopen?.()
    await settle()
    sources[0]!.say('updates', [point(4), point(5)])
    await settle()
    expect(shards(m)).toEqual([1, 2, 3, 4, 5])
    expect(m.rows.value[0]?.mean).toBe(5)
    expect(m.newest()?.t).toBe(5)
    m.close()
  })
  it('reads the past anew when the server says that events were lost', async () => {
    const m = new KeyModel('a/b')
    sources[0]!.onopen?.()
    await settle()
    t = 8
    sources[0]!.say('reset', {})
    await settle()
    expect(shards(m)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    m.close()
  })
  it('says that it was deleted, and goes on when the key comes back', async () => {
    const m = new KeyModel('a/b')
    sources[0]!.onopen?.()
    await settle()
    sources[0]!.say('deleted', { key: 'a/b' })
    expect(m.deleted.value).toBe(true)
    expect(m.rows.value[0]?.mean).toBe(3)
    t = 1
    sources[0]!.say('updates', [{ ...point(1), offset: 99 }])
    await settle()
    expect(m.deleted.value).toBe(false)
    expect(shards(m)).toEqual([1])
    m.close()
  })
  it('looks at the store again where another process works on the key', async () => {
    owned = false
    const m = new KeyModel('a/b')
    sources[0]!.onopen?.()
    await settle()
    expect(m.owned.value).toBe(false)
    t = 9
    await vi.advanceTimersByTimeAsync(4000)
    expect(m.rows.value[0]?.mean).toBe(9)
    owned = true
    await vi.advanceTimersByTimeAsync(11_000)
    expect(m.owned.value).toBe(true)
    expect(shards(m)).toHaveLength(9)
    m.close()
  })
  it('shows a key that is not there, and then is', async () => {
    gone = true
    const m = new KeyModel('a/b')
    await settle()
    expect(m.failure.value?.status).toBe(404)
    gone = false
    await vi.advanceTimersByTimeAsync(4000)
    expect(m.failure.value).toBeNull()
    expect(m.rows.value).toHaveLength(1)
    m.close()
  })
  it('reads the past of a key that was opened before its first checkpoint', async () => {
    gone = true
    const m = new KeyModel('a/b')
    sources[0]!.onopen?.()
    await settle()
    expect(m.historyFailure.value).not.toBeNull()
    ;[gone, t] = [false, 1]
    sources[0]!.say('updates', [point(1)])
    await settle()
    expect(m.historyFailure.value).toBeNull()
    expect(shards(m)).toEqual([1])
    m.close()
  })
})
