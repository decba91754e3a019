// npm run load -- [--keys 100000 --rate 500 --seconds 20 --at ADDRESS]: how busy the overview keeps
// the main thread of a real Chromium under a stream of updates, in view and
// while scrolling, and what it holds in memory.
import { parseArgs } from 'node:util'
import { Mock } from '../mock/server.ts'
import { launch, watch } from './chromium.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { keys: { type: 'string', default: '100000' }, rate: { type: 'string', default: '500' }, seconds: { type: 'string', default: '20' }, at: { type: 'string' } },
})
const seconds = Number(values.seconds)
const mock = values.at ? null : await Mock.listen({ keys: Number(values.keys), rate: Number(values.rate), dist: new URL('../../../dist', import.meta.url).pathname })
const base = values.at ?? mock?.url ?? ''
const context = await launch({ width: 1600, height: 1000 })
const page = await context.newPage()
const wrong = watch(page, base)
const cdp = await context.newCDPSession(page)
// Time of the thread, not of the clock: other work on the machine does not count.
await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })

const metrics = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]))
const heap = async () => {
  await cdp.send('HeapProfiler.collectGarbage')
  return Math.round(((await metrics())['JSHeapUsedSize'] ?? 0) / 1e5) / 10
}

/** busy is the share of time that the main thread had tasks while work went on. */
async function busy(name: string, work: () => Promise<unknown>) {
  const before = await metrics()
  const at = Date.now()
  await work()
  const after = await metrics()
  const took = (Date.now() - at) / 1000
  const d = (key: string) => (after[key] ?? 0) - (before[key] ?? 0)
  const part = (...keys: string[]) => (100 * keys.reduce((sum, key) => sum + d(key), 0)) / took
  const share = part('TaskDuration')
  console.log(`${name}: main thread busy ${share.toFixed(1)} % (script ${part('ScriptDuration').toFixed(1)} %, layout and style ${part('LayoutDuration', 'RecalcStyleDuration').toFixed(1)} %) of ${took.toFixed(0)} s`)
  return share
}

const from = Date.now()
await page.goto(base + '/')
await page.waitForSelector('.list-row .mean[data-value]:not([data-value=""])')
console.log(`first posterior shown after ${Date.now() - from} ms`)
const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN)
console.log(`first contentful paint ${painted.toFixed(0)} ms`)
await page.waitForFunction(() => !document.querySelector('.list-foot')?.textContent?.startsWith('Loading'))
console.log(`all keys listed after ${Date.now() - from} ms: ${await page.textContent('.list-foot')}`)
await page.waitForTimeout(2000)
const first = await heap()
const still = await busy('in view', () => page.waitForTimeout(seconds * 1000))
const scrolling = await busy('scrolling', () =>
  page.evaluate(async (ms) => {
    const box = document.querySelector('.list-scroll') as HTMLElement
    const end = performance.now() + ms
    while (performance.now() < end) {
      box.scrollTop += 300
      await new Promise(requestAnimationFrame)
    }
  }, 5000))
const typed = await page.evaluate(async () => {
  const input = document.querySelector('input[type=search]') as HTMLInputElement
  const times: number[] = []
  for (const text of ['f', 'fl', 'flights/00', 'flights/0012', '']) {
    const at = performance.now()
    input.value = text
    input.dispatchEvent(new InputEvent('input', { bubbles: true }))
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    times.push(Math.round(performance.now() - at))
  }
  return times
})
console.log(`search, milliseconds from letter to frame: ${typed.join(' ')}`)
await page.waitForTimeout(3000)
console.log(`heap after collection: ${first} MB, after ${seconds + 8} s more ${await heap()} MB; nodes ${(await metrics())['Nodes']}, listeners ${(await metrics())['JSEventListeners']}`)
for (const w of wrong) console.log('wrong:', w)
await context.close()
await mock?.close()
if (still >= 50 || wrong.length > 0) process.exitCode = 1
if (scrolling >= 100) process.exitCode = 1
