// Runs a TypeScript file with Node: node scripts/run.mjs FILE [ARGUMENTS].
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createServer, createServerModuleRunner } from 'vite'

const server = await createServer({ server: { middlewareMode: true, ws: false, watch: null }, appType: 'custom', logLevel: 'error', optimizeDeps: { noDiscovery: true } })
try {
  await createServerModuleRunner(server.environments.ssr).import(pathToFileURL(resolve(process.argv[2])).pathname)
} finally {
  await server.close()
}
