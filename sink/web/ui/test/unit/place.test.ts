// @vitest-environment node
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as data from '../mock/data.ts'
import { Mock } from '../mock/server.ts'
import { browse, until } from './page.ts'

let mock: Mock
let api: typeof import('../../src/api/client.ts').api
let open: (placing: number) => { list: import('../../src/overview/keys.ts').Keys; close: () => void }
beforeEach(async () => {
  mock = await Mock.listen({ keys: 20 })
  browse(mock)
  ;({ api } = await import('../../src/api/client.ts'))
  const { Stream } = await import('../../src/live.ts')
  const { Keys } = await import('../../src/overview/keys.ts')
  // As the page does: the list is narrowed, and then the stream has a listener.
  open = (placing) => {
    const stream = new Stream({})
    const list = new Keys(() => stream.placed(placing))
    list.narrow({ text: '', kind: '', flag: '', from: '', to: '', sort: '', by: '' })
    stream.listen({ points: (p) => list.seen(p), deleted: (k) => list.removed(k), reset: () => void list.load() })
    return { list, close: () => stream.close() }
  }
})
afterEach(() => mock.close())

const streams = () => mock.asked.filter((a) => a.includes('/v1/events'))
const lists = () => mock.asked.filter((a) => a.includes('/v1/models'))
const late = 'late/key'

test('a key that comes once, while the stream opens, is in the list', async () => {
  mock.faults.held = true
  const { list, close } = open(60_000)
  await until('the stream is asked for', () => streams().length === 1)
  await api.kinds()
  expect(lists()).toEqual([])
  mock.update(late)
  mock.release()
  await until('listed', () => !list.state.value.loading)
  expect(list.state.value.shown).toContain(late)
  expect(lists()).toHaveLength(1)
  close()
})

test('a stream that opens late does not hold the list up, which is read anew then', async () => {
  mock.faults.held = true
  const { list, close } = open(20)
  await until('listed', () => !list.state.value.loading)
  expect(list.state.value.shown).toEqual([...data.keys(20)])
  mock.update(late)
  mock.release()
  await until('the late key', () => list.state.value.shown.includes(late))
  expect(lists()).toHaveLength(2)
  close()
})

test('a stream that is refused does not hold the list up', async () => {
  mock.faults.cut = true
  const { list, close } = open(600_000)
  await until('listed', () => !list.state.value.loading)
  expect(list.state.value.shown).toEqual([...data.keys(20)])
  mock.update(late)
  mock.faults.cut = false
  await until('the late key', () => list.state.value.shown.includes(late))
  close()
})
