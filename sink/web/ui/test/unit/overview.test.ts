// @vitest-environment node
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Flag } from '../../src/api/types.ts'
import type { Details as DetailsOf } from '../../src/overview/details.ts'
import type { Keys as KeysOf } from '../../src/overview/keys.ts'
import { byteOrder, merge } from '../../src/overview/order.ts'
import { spanAt } from '../../src/components/VirtualList.tsx'
import * as data from '../mock/data.ts'
import { Mock } from '../mock/server.ts'
import { browse, until } from './page.ts'

let mock: Mock
let keys: KeysOf
let details: DetailsOf
beforeEach(async () => {
  mock = await Mock.listen({ keys: 25_000 })
  browse(mock)
  keys = new (await import('../../src/overview/keys.ts')).Keys()
  details = new (await import('../../src/overview/details.ts')).Details()
})
afterEach(() => mock.close())

const all = { text: '', kind: '', flag: '', from: '', to: '', sort: '', by: '' } as const
const want = () => true
const loaded = () => until('loaded', () => !keys.state.value.loading)
/** ended reads on to the end of the list, as a reader does. */
const ended = async () => {
  await loaded()
  while (keys.state.value.more === 'follow') await keys.more()
}
const listed = () => mock.asked.filter((a) => a.includes('fields=key'))

test('byte order is that of UTF-8, not of UTF-16', () => {
  const texts = ['a', 'a\u0000', 'ab', '\ue000', '\uffff', '🙂', '\u{10ffff}', 'é', 'z', '日', '']
  const bytes = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  expect([...texts].sort(byteOrder)).toEqual(bytes)
  expect(merge(['a', 'c', 'e'], ['b', 'c', 'f'])).toEqual(['a', 'b', 'c', 'e', 'f'])
})

test('a list asks for some screens of keys, and for more at its end: all come, in order, once', async () => {
  keys.narrow(all)
  await loaded()
  expect(keys.state.value).toMatchObject({ shown: data.keys(25_000).slice(0, 2_000), total: 25_000, more: 'follow' })
  expect(listed()).toHaveLength(1)
  await ended()
  expect(keys.state.value.shown).toEqual([...data.keys(25_000)])
  expect(listed()).toHaveLength(4)
})

test('the server searches what is not loaded, once the typing rests', async () => {
  keys.narrow(all)
  await loaded()
  keys.narrow({ ...all, text: 'flights/002' })
  keys.narrow({ ...all, text: 'FLIGHTS/0024' })
  await until('found', () => keys.state.value.shown.length > 0 && keys.state.value.shown.every((k) => k.includes('flights/0024')))
  expect(listed().filter((a) => a.includes('contains'))).toEqual([expect.stringContaining('contains=FLIGHTS%2F0024')])
  expect(keys.state.value.shown).toEqual(data.keys(25_000).filter((k) => k.includes('flights/0024')))
  keys.narrow(all)
  await until('all again', () => keys.state.value.shown.length === 2_000)
})

test('keys that follow in their turn are not put in by live points', async () => {
  keys.narrow(all)
  await loaded()
  const [first = ''] = keys.state.value.shown
  const later = data.keys(25_000)[20_000] as string
  keys.seen([data.point(mock.models.get(later) as data.Model, want), data.point(data.model(first + '.new'), want)])
  await until('put in', () => keys.state.value.shown.includes(first + '.new'))
  expect(keys.state.value.shown).not.toContain(later)
  await ended()
  expect(keys.state.value.shown).toEqual([...data.keys(25_000), first + '.new'].sort(byteOrder))
})

test('text narrows without asking once all keys are there; kind and flag ask the server', async () => {
  keys.narrow(all)
  await ended()
  const before = mock.asked.length
  keys.narrow({ ...all, text: 'FLIGHTS/0012' })
  expect(keys.state.value.shown.length).toBeGreaterThan(0)
  expect(keys.state.value.shown.every((k) => k.includes('flights/0012'))).toBe(true)
  expect(mock.asked).toHaveLength(before)
  keys.narrow({ ...all, kind: 'dlm', flag: 'poor_calibration' })
  await loaded()
  const listed = keys.state.value.shown.map((k) => mock.models.get(k))
  expect(listed.length).toBeGreaterThan(0)
  expect(listed.every((m) => m?.kind === 'dlm' && data.flagsOf(m).includes('poor_calibration'))).toBe(true)
})

test('a sorted list has the first in order, and others of them at its end; a reader’s list does not move', async () => {
  keys.narrow({ ...all, sort: 'rows' })
  await loaded()
  const top = keys.state.value.shown
  expect(top).toHaveLength(2_000)
  expect(listed()).toHaveLength(1)
  await ended()
  const { shown, sortedAt, more } = keys.state.value
  expect(sortedAt).not.toBeNull()
  expect(more).toBe('hidden')
  expect(shown.slice(0, 2_000)).toEqual(top)
  expect(shown).toHaveLength(10_000)
  const rows = shown.map((k) => data.rows(mock.models.get(k)!))
  expect(rows).toEqual([...rows].sort((a, b) => b - a))
  expect(new Set(shown).size).toBe(10_000)
  keys.seen([data.point(data.model('flights/new'), want)])
  expect(keys.state.value.shown).toEqual(shown)
})

test('behind an order come all other keys once; what is new goes to the end', async () => {
  keys.narrow({ ...all, sort: 'rows', kind: 'dlm' })
  await ended()
  const { shown, more } = keys.state.value
  expect(more).toBe('none')
  expect([...shown].sort(byteOrder)).toEqual(data.keys(25_000).filter((k) => mock.models.get(k)?.kind === 'dlm'))
  const fresh = data.model('air/pm25/000001b')
  keys.seen([data.point(fresh, want)])
  await until('put in', () => keys.state.value.shown.includes(fresh.key))
  expect(keys.state.value.shown).toEqual([...shown, fresh.key])
})

test('a list of a time keeps what had the flag then, and takes nothing in that comes after its end', async () => {
  const middle = new Date(data.start + 20_000).toISOString()
  keys.narrow({ ...all, flag: 'low_ess', from: middle })
  await loaded()
  const [key = ''] = keys.state.value.shown
  expect(key).not.toBe('')
  const calm = { ...data.point(mock.models.get(key) as data.Model, want), flags: [] as Flag[] }
  const fresh = { ...data.point(data.model('flights/b'), want), flags: ['low_ess' as const] }
  keys.seen([calm, fresh])
  await until('put in', () => keys.state.value.shown.includes('flights/b'))
  expect(keys.state.value.shown).toContain(key)
  keys.narrow({ ...all, to: middle })
  await loaded()
  keys.seen([{ ...fresh, key: 'flights/c' }])
  expect(keys.state.value.shown.every((k) => k === 'flights/b' || mock.models.get(k)!.time <= Date.parse(middle))).toBe(true)
  expect(keys.state.value.shown).not.toContain('flights/c')
})

test('new keys go to their place and deleted ones go; those that do not match stay out', async () => {
  keys.narrow({ ...all, kind: 'dlm' })
  await loaded()
  const [first] = keys.state.value.shown
  const fresh = data.model('air/pm25/000001b')
  keys.seen([data.point(fresh, want), data.point(data.model('flights/zzz'), want)])
  keys.removed(first as string)
  await until('put in', () => keys.state.value.shown.includes(fresh.key))
  const { shown } = keys.state.value
  expect(shown).toEqual([...shown].sort(byteOrder))
  expect(shown).not.toContain(first)
  expect(shown).not.toContain('flights/zzz')
})

test('with a flag chosen a new key without it stays out', async () => {
  keys.narrow({ ...all, flag: 'low_ess' })
  await loaded()
  const plain = { ...data.point(data.model('flights/a'), want), flags: [] }
  const flagged = { ...data.point(data.model('flights/b'), want), flags: ['low_ess' as const] }
  keys.seen([plain, flagged])
  await until('put in', () => keys.state.value.shown.includes('flights/b'))
  expect(keys.state.value.shown).not.toContain('flights/a')
})

test('a key that loses the flag chosen leaves, one that gets it back comes again, and no key is counted for it', async () => {
  keys.narrow({ ...all, flag: 'poor_calibration' })
  await loaded()
  const { total, shown: [key = ''] } = keys.state.value
  const point = { ...data.point(mock.models.get(key) as data.Model, want), flags: [] as Flag[] }
  keys.seen([point])
  await until('taken out', () => !keys.state.value.shown.includes(key))
  keys.seen([{ ...point, flags: ['poor_calibration'] }])
  await until('put in again', () => keys.state.value.shown.includes(key))
  expect(keys.state.value.total).toBe(total)
})

test('a failed list says why, and tries again', async () => {
  mock.faults.status = 503
  keys.narrow(all)
  await until('failure', () => keys.state.value.failure?.status === 503)
  mock.faults.status = 0
  await until('keys', () => keys.state.value.shown.length === 2_000)
})

test('rows in view are asked for in batches, once, and sparklines after them', async () => {
  const view = data.keys(25_000).slice(100, 140)
  details.see(view)
  await until('rows', () => view.every((k) => details.detail(k).row !== null))
  await until('sparklines', () => view.every((k) => details.detail(k).spark.length === Math.min(32, mock.models.get(k)?.t ?? 0)))
  const asked = mock.asked.filter((a) => a.includes('key=') && !a.includes('fields')).length
  expect(asked).toBeLessThanOrEqual(4)
  const before = mock.asked.length
  const fresh = data.keys(25_000)[5000] as string
  details.see([...view.slice(5), fresh])
  await until('one more sparkline', () => details.detail(fresh).spark.length > 0)
  expect(mock.asked.slice(before).filter((a) => view.some((k) => a.includes(encodeURIComponent(k))))).toEqual([])
  for (const k of view) {
    const m = mock.models.get(k) as data.Model
    expect(details.detail(k).row).toEqual(data.posterior(m)[0])
    expect(details.detail(k).spark.at(-1)?.median).toBe(data.posterior(m)[0]?.median)
  }
})

test('long keys are asked for in addresses of bounded length', async () => {
  const long = Array.from({ length: 40 }, (_, i) => `${i}`.padStart(3, '0') + '日'.repeat(169))
  for (const k of long) mock.update(k)
  details.see(long)
  await until('rows', () => long.every((k) => details.detail(k).row !== null))
  expect(Math.max(...mock.asked.map((a) => a.length))).toBeLessThan(16_000)
})

test('live points patch rows; old ones do not', async () => {
  const key = 'air/pm25/000005'
  details.see([key])
  await until('row', () => details.detail(key).row !== null)
  const m = mock.models.get(key) as data.Model
  const old = { ...m, t: m.t - 1, offset: m.offset - 7 }
  const next = { ...m, t: m.t + 1, offset: m.offset + 7 }
  const rev = details.detail(key).rev.value
  details.patch([data.point(old, want)])
  expect(details.detail(key).entry?.t).toBe(m.t)
  details.patch([data.point(next, want)])
  await until('drawn', () => details.detail(key).rev.value > rev)
  expect(details.detail(key).entry?.n).toBe((m.t + 1) * 64)
  expect(details.detail(key).row).toEqual(data.posterior(next)[0])
})

test('many messages are one change per frame', async () => {
  const key = 'air/pm25/000005'
  details.see([key])
  await until('row', () => details.detail(key).row !== null)
  const frames: (() => void)[] = []
  globalThis.requestAnimationFrame = (f) => frames.push(f as () => void)
  const m = mock.models.get(key) as data.Model
  const rev = details.detail(key).rev.value
  for (let i = 1; i <= 50; i++) details.patch([data.point({ ...m, t: m.t + i, offset: m.offset + 7 * i }, want)])
  expect(frames.length).toBeLessThanOrEqual(1)
  for (const f of frames) f()
  expect(details.detail(key).rev.value - rev).toBeLessThanOrEqual(1)
})

test('another variable is asked for, also one with a comma', async () => {
  const key = 'air/pm25/000005'
  details.see([key])
  await until('row', () => details.detail(key).row?.variable === 'theta')
  details.choose('sigma2')
  await until('the other', () => details.detail(key).row?.variable === 'sigma2')
  expect(details.globs.value).toBe('sigma2')
  details.choose('u[a,b]')
  await until('none', () => mock.asked.some((a) => a.includes(encodeURIComponent('u[a*b]'))) && details.detail(key).row === null)
})

test('a list of any length has a bounded number of rows and of pixels', () => {
  for (const rows of [0, 1, 10, 100_000, 3_000_000])
    for (const scroll of [0, 1, 5000, 1e6, 1e9]) {
      const s = spanAt(scroll, 800, rows, 38)
      expect(s.to - s.from).toBeLessThanOrEqual(36)
      expect(s.from).toBeGreaterThanOrEqual(0)
      expect(s.to).toBeLessThanOrEqual(rows)
      expect(s.content).toBeLessThanOrEqual(12_000_000)
    }
  expect(spanAt(1e9, 800, 3_000_000, 38).to).toBe(3_000_000)
})
