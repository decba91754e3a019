import { defineConfig } from 'vitest/config'

// CREDENCE_CONSUMER is the address of the consumer, or of the mock server, that
// `npm run dev` asks; http.listen's default otherwise.
const consumer = process.env['CREDENCE_CONSUMER'] ?? 'http://127.0.0.1:8080'

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/readyz', '/livez', '/metrics', '/login', '/logout'].map((path) => [path, { target: consumer }]),
    ),
  },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    // The page's security policy allows no data: URLs and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    chunkSizeWarningLimit: 250,
  },
  test: {
    environment: 'happy-dom',
    testTimeout: 60_000, // a test of a tenth of a second took more than five on a busy machine
    include: ['test/unit/**/*.test.ts', 'test/unit/**/*.test.tsx', 'src/**/*.test.ts', 'src/**/*.test.tsx'],
  },
})
