// npm run shots -- DIRECTORY [ADDRESS]: pictures of the pages at several widths,
// light and dark, from the mock server or from a running consumer.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Mock, type Faults } from '../mock/server.ts'
import { launch, watch } from './chromium.ts'

const [directory, address] = process.argv.slice(3)
if (!directory) throw new Error('name a directory for the pictures')
mkdirSync(directory, { recursive: true })
const dist = new URL('../../../dist', import.meta.url).pathname
const mocks = address ? [] : await Promise.all([Mock.listen({ keys: 2000, rate: 200, dist }), Mock.listen({ keys: 0, dist })])
const [full, empty] = mocks
const base = address ?? full?.url ?? ''

const good: Faults = { status: 0, ready: true, cut: false, halted: false }
const views: { name: string; path: string; faults?: Partial<Faults>; base?: string; late?: Partial<Faults> }[] = [
  { name: 'overview', path: '/' },
  { name: 'operations', path: '/operations' },
  ...(full && empty
    ? [
      { name: 'none', path: '/', base: empty.url },
      { name: 'nomatch', path: '/?q=nothing-like-this' },
      { name: 'notready', path: '/', faults: { ready: false } },
      { name: 'halted', path: '/operations', faults: { halted: true } },
      { name: 'lost', path: '/', late: { cut: true } },
      { name: 'unavailable', path: '/', faults: { status: 503 } },
      { name: 'limited', path: '/', faults: { status: 429 } },
      { name: 'missing', path: '/key/nowhere' },
    ]
    : []),
]
const sizes = [{ width: 380, height: 780 }, { width: 1280, height: 800 }, { width: 2560, height: 1300 }]
let failed = false
for (const size of sizes)
  for (const dark of [false, true]) {
    const context = await launch({ ...size, dark })
    for (const view of views) {
      if (view.name !== 'overview' && view.name !== 'operations' && (size.width === 2560 || dark)) continue
      if (full) Object.assign(full.faults, good, view.faults)
      const page = await context.newPage()
      const wrong = watch(page, view.base ?? base)
      await page.goto((view.base ?? base) + view.path)
      await page.waitForSelector('.empty:not(.loading), .spark, .operations table')
      await page.waitForTimeout(1500) // pictures only: sparklines fill
      if (full && view.late) {
        Object.assign(full.faults, view.late)
        full.cut()
        await page.waitForTimeout(800)
      }
      await page.screenshot({ path: join(directory, `${view.name}-${size.width}-${dark ? 'dark' : 'light'}.png`) })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (wide > 0) wrong.push(`the page is ${wide} px wider than the screen`)
      const bad = view.faults || view.late || view.name === 'missing' ? wrong.filter((w) => !/Failed to load resource|503|ERR_/.test(w)) : wrong
      if (bad.length > 0) {
        failed = true
        console.error(view.name, size.width, bad.join('\n  '))
      }
      await page.close()
    }
    await context.close()
  }
await Promise.all(mocks.map((m) => m.close()))
console.log(failed ? 'something was wrong' : 'all pictures taken, nothing wrong')
process.exitCode = failed ? 1 : 0
