// Writes src/api/schema.ts from ../openapi.yaml; with --check says whether it
// is up to date and writes nothing.
import { readFile, writeFile } from 'node:fs/promises'
import openapi, { astToString } from 'openapi-typescript'

const source = new URL('../../openapi.yaml', import.meta.url)
const target = new URL('../src/api/schema.ts', import.meta.url)

export async function generate() {
  const ast = await openapi(source)
  return '// Generated from openapi.yaml by `npm run types`; do not edit.\n\n' + astToString(ast)
}

if (process.argv[1]?.endsWith('types.mjs')) {
  const text = await generate()
  if (process.argv.includes('--check')) {
    const now = await readFile(target, 'utf8').catch(() => '')
    if (now !== text) {
      console.error('src/api/schema.ts is not what openapi.yaml says: npm run types')
      process.exit(1)
    }
  } else {
    await writeFile(target, text)
  }
}
