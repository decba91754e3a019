// @vitest-environment node
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { generate } from '../../scripts/types.mjs'

const ui = new URL('../../', import.meta.url).pathname
const dist = join(ui, '../dist')

function files(directory: string): Map<string, string> {
  const out = new Map<string, string>()
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(directory, name)
    if (statSync(path).isFile()) out.set(relative(directory, path), readFileSync(path, 'latin1'))
  }
  return out
}

test('the types are those of openapi.yaml', async () => {
  expect(readFileSync(join(ui, 'src/api/schema.ts'), 'utf8')).toBe(await generate())
})

test('dist obeys the page’s security policy and stays on its host', () => {
  const all = files(dist)
  const html = all.get('index.html') ?? ''
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/)
  expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=/)
  for (const [name, text] of all) {
    expect(name).not.toMatch(/\.map$/)
    if (name.startsWith('assets/')) expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)$/)
    expect(text, name).not.toMatch(/sourceMappingURL|\beval\(|new Function\(|@import|data:(?!,)[a-z]+\//)
    const hosts = [...text.matchAll(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]{2,}/gi)].map((m) => m[0]).filter((h) => h !== 'http://www.w3.org')
    expect(hosts, name).toEqual([])
  }
})

test('the lock file names no host to load from', () => {
  const lock = JSON.parse(readFileSync(join(ui, 'package-lock.json'), 'utf8')) as { packages: Record<string, { resolved?: string; integrity?: string }> }
  for (const [name, p] of Object.entries(lock.packages)) {
    expect(p.resolved, name).toBeUndefined()
    if (name) expect(p.integrity, name).toMatch(/^sha512-/)
  }
  const own = JSON.parse(readFileSync(join(ui, 'package.json'), 'utf8')) as Record<string, Record<string, string>>
  for (const v of [...Object.values(own['dependencies'] ?? {}), ...Object.values(own['devDependencies'] ?? {})]) expect(v).toMatch(/^\d+\.\d+\.\d+$/)
})
