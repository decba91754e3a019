import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'

const places = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** installed tells whether there is a Chromium; without one tests fail in CI and are left out, loudly, elsewhere. */
export function installed(): boolean {
  const found = places.some((p) => p && existsSync(p))
  if (!found && process.env['CI'] !== 'true') console.warn('LEFT OUT: no Chromium: apt-get install chromium, or name one in $CHROMIUM')
  return found || process.env['CI'] === 'true'
}

/** launch starts the Chromium of the system, or the one that $CHROMIUM names, with an empty profile. */
export async function launch(view: { width: number; height: number; dark?: boolean }): Promise<BrowserContext> {
  const executablePath = places.find((p) => p && existsSync(p))
  if (!executablePath) throw new Error('no Chromium: apt-get install chromium, or name one in $CHROMIUM')
  return chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), 'credence-chromium-')), {
    executablePath, headless: true, viewport: { width: view.width, height: view.height }, colorScheme: view.dark ? 'dark' : 'light',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
}

/** watch collects what must not happen: console errors, failed policies, requests to other hosts. */
export function watch(page: Page, origin: string): string[] {
  const wrong: string[] = []
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') wrong.push(`${m.type()}: ${m.text()}`)
  })
  page.on('pageerror', (e) => wrong.push('exception: ' + e.message))
  page.on('request', (r) => {
    if (!r.url().startsWith(origin + '/') && !r.url().startsWith('blob:' + origin)) wrong.push('request to another host: ' + r.url())
  })
  return wrong
}
