// What modules of the page need of a browser, for tests that run in Node
// against the mock server.
import { vi } from 'vitest'
import type { Mock } from '../mock/server.ts'

/** told has the names of the messages of all streams since browse. */
export const told: string[] = []

class Source extends EventTarget {
  static readonly opened: string[] = []
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null
  private readonly abort = new AbortController()

  constructor(base: string, path: string) {
    super()
    Source.opened.push(path)
    void this.read(base + path)
  }

  close() {
    this.abort.abort()
  }

  private async read(url: string) {
    try {
      const response = await original(url, { signal: this.abort.signal })
      if (!response.ok || !response.body) throw new Error(String(response.status))
      this.onopen?.()
      let text = ''
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
        text += chunk
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          this.message(text.slice(0, end))
          text = text.slice(end + 2)
        }
      }
      throw new Error('ended')
    } catch {
      if (!this.abort.signal.aborted) this.onerror?.()
    }
  }

  private message(block: string) {
    const field = Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]))
    if (!field['data']) return
    const name = field['event'] ?? 'message'
    this.dispatchEvent(new MessageEvent(name, { data: field['data'], lastEventId: field['id'] ?? '' }))
    told.push(name)
  }
}

const original = globalThis.fetch

/** browse makes the page's modules talk to the mock; it returns the paths of the streams opened. */
export function browse(mock: Mock): string[] {
  const document = Object.assign(new EventTarget(), { hidden: false })
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  vi.stubGlobal('dispatchEvent', page.dispatchEvent.bind(page))
  Source.opened.length = told.length = 0
  vi.stubGlobal('document', document)
  vi.stubGlobal('requestAnimationFrame', (f: () => void) => setTimeout(f, 0))
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => original(mock.url + path, init))
  vi.stubGlobal('EventSource', class extends Source {
    constructor(path: string) {
      super(mock.url, path)
    }
  })
  return Source.opened
}

/** until waits for what must become true, at most ten seconds. */
export async function until(what: string, is: () => boolean): Promise<void> {
  const end = Date.now() + 10_000
  while (!is()) {
    if (Date.now() > end) throw new Error('never: ' + what)
    await new Promise((done) => setTimeout(done, 5))
  }
}
