// @vitest-environment node
// The built page in a real Chromium, against the mock server.
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ModelList } from '../../src/api/types.ts'
import { hostile } from '../mock/data.ts'
import { Mock } from '../mock/server.ts'
import { installed, launch, watch } from './chromium.ts'

const dist = new URL('../../../dist', import.meta.url).pathname

describe.runIf(installed())('the page', { timeout: 60_000 }, () => {
  let mock: Mock
  let context: BrowserContext
  let page: Page
  let wrong: string[]
  beforeAll(async () => {
    mock = await Mock.listen({ keys: 10_000, dist })
    context = await launch({ width: 1280, height: 800 })
    context.setDefaultTimeout(20_000)
  }, 60_000)
  afterAll(async () => {
    await context?.close()
    await mock?.close()
  })
  beforeEach(async () => {
    page = await context.newPage()
    wrong = watch(page, mock.url)
  })
  afterEach(async () => {
    await page.close()
    Object.assign(mock.faults, { status: 0, ready: true, cut: false, halted: false })
  })

  const rowOf = (key: string) => page.locator('.list-row', { has: page.locator(`bdi[title=${JSON.stringify(key)}]`) })

  test('means on the page are those of the API, and a live point changes them without a reload', async () => {
    await page.goto(mock.url + '/?q=air/pm25/0000')
    const keys = Array.from({ length: 5 }, (_, i) => `air/pm25/${String(i + 2).padStart(6, '0')}`)
    await rowOf(keys[4] as string).locator('.mean:not([data-value=""])').waitFor()
    const query = keys.map((k) => 'key=' + encodeURIComponent(k)).join('&')
    const list = (await (await fetch(`${mock.url}/v1/models?${query}`)).json()) as ModelList
    for (const m of list.models)
      expect(Number(await rowOf(m.key).locator('.mean').getAttribute('data-value'))).toBe(m.posterior?.[0]?.mean)
    const first = list.models[0]
    if (!first) throw new Error('no model')
    const before = await rowOf(first.key).locator('.rows').textContent()
    await page.locator('.badge', { hasText: 'Live' }).waitFor()
    mock.update(first.key)
    await page.waitForFunction(
      ([key, old]) => [...document.querySelectorAll('.list-row')].some((r) => r.querySelector('bdi')?.title === key && r.querySelector('.rows')?.textContent !== old),
      [first.key, before] as const,
    )
    expect(wrong).toEqual([])
  })

  test('keys that are markup, turn the text or break lines are text', async () => {
    for (const key of hostile) {
      await page.goto(`${mock.url}/?q=${encodeURIComponent(key)}`)
      await page.waitForSelector('.list-row bdi')
      expect(await page.locator('.list-row bdi').first().getAttribute('title')).toBe(key)
      expect(await page.evaluate(() => document.querySelectorAll('main script, main img').length)).toBe(0)
      await page.locator('.list-row a').first().click()
      await page.waitForSelector('main.page-key h1')
      expect(await page.evaluate(() => document.querySelectorAll('main script, main img').length)).toBe(0)
      expect(await page.title()).not.toBe('owned')
    }
    expect(wrong).toEqual([])
  })

  test('by keyboard: / searches, arrows move, Enter opens, back returns', async () => {
    await page.goto(mock.url + '/')
    await page.waitForSelector('.list-row')
    await page.keyboard.press('/')
    await page.keyboard.type('sales/00001')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const active = await page.locator('.list-row.active bdi').first().getAttribute('title')
    expect(active).toBe('sales/000011')
    expect(await page.locator('[role=grid]').getAttribute('aria-activedescendant')).toBe(await page.locator('.list-row.active').getAttribute('id'))
    await page.keyboard.press('Enter')
    await page.waitForSelector('main.page-key h1')
    expect(new URL(page.url()).pathname).toBe('/key/sales%2F000011')
    await page.goBack()
    await page.waitForSelector('.list-row')
    expect(await page.inputValue('input[type=search]')).toBe('sales/00001')
    expect(wrong).toEqual([])
  })

  test('ten thousand keys: the last is reached, with as many rows in the document as are in view', async () => {
    await page.goto(mock.url + '/')
    await page.waitForFunction(() => document.querySelector('.list-foot')?.textContent?.startsWith('10\u202f000'))
    await page.locator('[role=grid]').focus()
    await page.keyboard.press('End')
    await rowOf([...mock.models.keys()].at(-1) as string).waitFor()
    expect(await page.locator('.list-row').count()).toBeLessThan(40)
    expect(wrong).toEqual([])
  })

  test('a lost connection is said, and it comes back by itself', async () => {
    await page.goto(mock.url + '/')
    await page.locator('.badge', { hasText: 'Live' }).waitFor()
    mock.faults.cut = true
    mock.cut()
    await page.locator('.badge', { hasText: 'Connection lost' }).waitFor()
    mock.faults.cut = false
    await page.locator('.badge', { hasText: 'Live' }).waitFor()
  })

  test('what fails says what to do; 401 leads to the login page and back', async () => {
    mock.faults.status = 503
    await page.goto(mock.url + '/')
    await page.locator('[role=alert] code', { hasText: 'consumer check' }).first().waitFor()
    mock.faults.status = 0
    await page.waitForSelector('.list-row')
    await page.goto(mock.url + '/key/nowhere')
    await page.locator('[role=alert]', { hasText: '404' }).waitFor()
    mock.faults.status = 401
    await page.goto(mock.url + '/operations?x=1')
    await page.waitForURL((u) => u.pathname === '/login')
    expect(new URL(page.url()).searchParams.get('next')).toBe('/operations?x=1')
  })

  test('halted partitions come first, with what to do; commands can be copied', async () => {
    mock.faults.halted = true
    await page.goto(mock.url + '/operations')
    await page.waitForSelector('.operations table')
    expect(await page.locator('tbody tr').first().textContent()).toContain('halted: gap')
    await page.locator('.card.halted', { hasText: 'Partition 2 is halted' }).waitFor()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: mock.url })
    await page.locator('.command', { hasText: 'dlq replay' }).locator('button').click()
    await page.locator('.copy', { hasText: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('consumer dlq replay --config credence.yaml --dry-run')
    expect(wrong).toEqual([])
  })

  test('the chosen colours stay', async () => {
    await page.goto(mock.url + '/')
    const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await shade()
    await page.locator('.theme-switch').click()
    expect(await shade()).not.toBe(light)
    const dark = await shade()
    await page.reload()
    await page.waitForSelector('.header')
    expect(await shade()).toBe(dark)
  })
})
